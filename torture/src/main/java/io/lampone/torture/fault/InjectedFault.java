package io.lampone.torture.fault;

/**
 * A fault that has happened.
 *
 * @param kind what
 * @param target whom it met
 * @param injectedNanos when, on the clock of the histories
 * @param healedNanos when it was over
 * @param problem what was in the way; empty if it was done as planned
 */
public record InjectedFault(
    FaultKind kind, String target, long injectedNanos, long healedNanos, String problem) {

  /** Whether it was done. */
  public boolean isDone() {
    return problem.isEmpty();
  }
}
