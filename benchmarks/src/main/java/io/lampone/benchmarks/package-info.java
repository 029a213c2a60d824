/**
 * Benchmarks of the transaction manager: load, processes, clocks and tables.
 *
 * <p>Every server and every load generator is a separate process, pinned to a core, started and
 * controlled by the benchmark. So each has the class path that it was written for, a separate heap,
 * and processor time that the operating system counts.
 */
@NullMarked
package io.lampone.benchmarks;

import org.jspecify.annotations.NullMarked;
