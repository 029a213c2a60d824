package io.lampone.benchmarks.oltp;

import java.time.Duration;

/**
 * Plan of a run of a workload.
 *
 * @param retries attempts of a transaction after the first one
 * @param dropped true to drop the tables if all conditions hold: unnecessary on a temporary cluster
 */
public record OltpPlan(
    Duration warmUp, Duration measured, int terminals, int retries, long seed, boolean dropped) {}
