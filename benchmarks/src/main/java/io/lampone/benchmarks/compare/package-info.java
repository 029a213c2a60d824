/**
 * Comparison of Lampone with native HBase and Apache Omid on one cluster, in alternating slices.
 *
 * <p>The cluster, the transaction manager, and the client of each contender are separate processes,
 * each with its own compiled code and heap; the operating system counts their time. Comparisons are
 * within one run, slice by slice.
 */
@NullMarked
package io.lampone.benchmarks.compare;

import org.jspecify.annotations.NullMarked;
