/** Planned transfer of leadership to a backup (protocol page, section 7). */
@NullMarked
package io.lampone.tm.core.transfer;

import org.jspecify.annotations.NullMarked;
