package io.lampone.benchmarks.oltp;

import java.time.Duration;

/**
 * How a workload is run.
 *
 * @param retries how often a transaction is begun again before it is given up
 * @param dropped whether the tables are dropped afterwards: not needed where the cluster goes too
 */
public record OltpPlan(
    Duration warmUp, Duration measured, int terminals, int retries, long seed, boolean dropped) {}
