package io.lampone.simulation;

import io.lampone.simulation.world.Violation;
import java.util.List;
import java.util.Optional;

/**
 * Result of one seed.
 *
 * @param seed it
 * @param transactions that clients have seen the end of, operations of the fast path among them
 * @param committed of those
 * @param unknown of those
 * @param events that happened
 * @param violation what must not have been; empty if all is well
 * @param trace what happened, if it was to be kept
 */
public record SeedReport(
    long seed,
    int transactions,
    long committed,
    long unknown,
    long events,
    Optional<Violation> violation,
    List<String> trace) {}
