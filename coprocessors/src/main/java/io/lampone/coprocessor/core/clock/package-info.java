/** Local version clock of a region server, and the writes in flight (protocol page, section 8). */
@NullMarked
package io.lampone.coprocessor.core.clock;

import org.jspecify.annotations.NullMarked;
