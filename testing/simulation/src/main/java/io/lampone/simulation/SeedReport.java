package io.lampone.simulation;

import io.lampone.simulation.world.Violation;
import java.util.List;
import java.util.Optional;

/**
 * Result of one seed.
 *
 * @param seed it
 * @param transactions whose end clients have seen, including operations of the fast path
 * @param committed of those
 * @param unknown of those
 * @param events number of events
 * @param violation of an invariant; empty if there was none
 * @param trace of the run, if it was recorded
 */
public record SeedReport(
    long seed,
    int transactions,
    long committed,
    long unknown,
    long events,
    Optional<Violation> violation,
    List<String> trace) {}
