/**
 * Lampone beside native HBase and Apache Omid on one cluster, in slices that alternate.
 *
 * <p>The cluster, the transaction manager, and the client of each contender are processes of their
 * own: so each has its own compiled code and heap, and the operating system counts its time. What
 * is compared is always of one run, slice by slice.
 */
@NullMarked
package io.lampone.benchmarks.compare;

import org.jspecify.annotations.NullMarked;
