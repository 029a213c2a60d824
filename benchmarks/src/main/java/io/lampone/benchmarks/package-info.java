/**
 * How fast the transaction manager is: load, processes, clocks and tables of the benchmarks.
 *
 * <p>Every server and every generator of load is a process of its own, pinned to a core, which a
 * benchmark starts and tells what to do next. So each has the class path that it was written for, a
 * heap of its own, and a time on the processor that the operating system counts.
 */
@NullMarked
package io.lampone.benchmarks;

import org.jspecify.annotations.NullMarked;
