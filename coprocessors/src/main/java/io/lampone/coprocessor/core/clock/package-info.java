/**
 * The local version clock of a region server, and the versions under way (protocol page, section
 * 8).
 */
@NullMarked
package io.lampone.coprocessor.core.clock;

import org.jspecify.annotations.NullMarked;
