/** API of the fast path: transactions on one row, or on rows of one region, in one request. */
@NullMarked
package io.lampone.client.fastpath;

import org.jspecify.annotations.NullMarked;
