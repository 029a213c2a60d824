package io.lampone.faultlab.fault;

/**
 * Observed change of the primary.
 *
 * @param primary the name of the transaction manager
 * @param nanos when it was noticed, on the clock of the histories
 */
public record Takeover(String primary, long nanos) {}
