/**
 * The load generator: transactions of no content, as many as a transaction manager can take, and
 * what they cost and how long they wait. Also the processes that it is let loose upon.
 */
@NullMarked
package io.lampone.benchmarks.load;

import org.jspecify.annotations.NullMarked;
