/**
 * Region requests that write, of Lampone's clients and of plain ones, on their way through HBase.
 */
@NullMarked
package io.lampone.coprocessor.write;

import org.jspecify.annotations.NullMarked;
