package io.lampone.simulation.world;

/**
 * Violation of an invariant.
 *
 * @param invariant name of the invariant
 * @param text what was observed
 * @param atNanos simulated time
 */
public record Violation(String invariant, String text, long atNanos) {}
