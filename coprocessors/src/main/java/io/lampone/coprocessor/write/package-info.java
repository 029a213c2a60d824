/** Execution of writing region requests, of Lampone's clients and of plain ones, through HBase. */
@NullMarked
package io.lampone.coprocessor.write;

import org.jspecify.annotations.NullMarked;
