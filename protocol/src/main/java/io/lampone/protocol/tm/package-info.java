/**
 * The transaction manager as seen by its users: three ports, so that timestamp oracle, validator
 * and status source can be replaced independently.
 */
@NullMarked
package io.lampone.protocol.tm;

import org.jspecify.annotations.NullMarked;
