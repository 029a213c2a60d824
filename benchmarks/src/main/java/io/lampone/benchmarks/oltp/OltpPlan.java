package io.lampone.benchmarks.oltp;

import java.time.Duration;

/**
 * Plan of a run of a workload.
 *
 * @param retries attempts of a transaction after the first one
 * @param dropped whether the tables are dropped afterwards: not needed where the cluster is deleted
 *     too
 */
public record OltpPlan(
    Duration warmUp, Duration measured, int terminals, int retries, long seed, boolean dropped) {}
