package io.lampone.benchmarks.operations;

import java.util.SplittableRandom;

/**
 * Worker that executes operations: one thread.
 *
 * @param number from 0
 * @param random the thread's own
 */
record Worker(int number, SplittableRandom random) {}
