/** Stored rows, as HBase shows them to the rules. */
@NullMarked
package io.lampone.coprocessor.row;

import org.jspecify.annotations.NullMarked;
