/** Counts and durations of transactions, and the log of slow ones. */
@NullMarked
package io.lampone.client.core.slow;

import org.jspecify.annotations.NullMarked;
