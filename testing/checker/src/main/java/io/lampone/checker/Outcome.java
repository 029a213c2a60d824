package io.lampone.checker;

/** Client's knowledge of the end of its transaction. */
public enum Outcome {
  /** Acknowledged as committed. */
  OK,
  /** No write of the transaction ever becomes visible; this is certain. */
  FAILED,
  /** All other outcomes: a timeout, a lost reply, a killed client. */
  UNKNOWN
}
