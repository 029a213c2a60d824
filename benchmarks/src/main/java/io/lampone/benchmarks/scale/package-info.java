/**
 * Sweeps of one parameter at a time: threads, rows, the size of a transaction, region servers, and
 * the load of the transaction manager.
 */
@NullMarked
package io.lampone.benchmarks.scale;

import org.jspecify.annotations.NullMarked;
