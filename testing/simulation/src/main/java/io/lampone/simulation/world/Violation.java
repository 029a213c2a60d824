package io.lampone.simulation.world;

/**
 * Something that must never happen has happened.
 *
 * @param invariant the name of what does not hold
 * @param text what was seen
 * @param atNanos when, in simulated time
 */
public record Violation(String invariant, String text, long atNanos) {}
