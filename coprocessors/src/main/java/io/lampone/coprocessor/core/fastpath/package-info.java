/** Rules of the fast path (protocol page, section 8). */
@NullMarked
package io.lampone.coprocessor.core.fastpath;

import org.jspecify.annotations.NullMarked;
