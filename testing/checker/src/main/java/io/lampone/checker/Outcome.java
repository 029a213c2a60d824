package io.lampone.checker;

/** What a client knows of the end of its transaction. */
public enum Outcome {
  /** It was told that the transaction has committed. */
  OK,
  /** It is certain that nothing of the transaction ever becomes visible. */
  FAILED,
  /** Anything else: a timeout, a lost reply, a killed client. */
  UNKNOWN
}
