/** API of the fast path: transactions of one row, or of rows of one region, in one request. */
@NullMarked
package io.lampone.client.fastpath;

import org.jspecify.annotations.NullMarked;
