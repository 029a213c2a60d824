/**
 * Load generator: empty transactions, as many as a transaction manager can process, and their cost
 * and latency. Also the processes under load.
 */
@NullMarked
package io.lampone.benchmarks.load;

import org.jspecify.annotations.NullMarked;
