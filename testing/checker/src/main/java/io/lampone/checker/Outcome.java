package io.lampone.checker;

/** Client's knowledge of the end of its transaction. */
public enum Outcome {
  /** Acknowledged as committed. */
  OK,
  /** It is certain that nothing of the transaction ever becomes visible. */
  FAILED,
  /** Anything else: a timeout, a lost reply, a killed client. */
  UNKNOWN
}
