/**
 * The transaction manager as its users see it: three ports, so that another timestamp oracle,
 * another validator or another source of statuses can be plugged in by itself.
 */
@NullMarked
package io.lampone.protocol.tm;

import org.jspecify.annotations.NullMarked;
