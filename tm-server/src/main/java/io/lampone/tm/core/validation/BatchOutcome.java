package io.lampone.tm.core.validation;

/** What becomes of a frame of requests. */
public sealed interface BatchOutcome {

  /** See {@link Answered}; there is one, so that answering makes no object. */
  Answered ANSWERED = new Answered();

  /** See {@link Silent}. */
  Silent SILENT = new Silent();

  /** The replies may leave; they have been written in the order of the requests. */
  record Answered() implements BatchOutcome {}

  /**
   * Nothing may leave, whatever has been written: this process cannot prove that it is the primary.
   */
  record Silent() implements BatchOutcome {}

  /**
   * Nothing has been executed and nothing may leave: a timestamp at or above the persisted bound.
   * Either this process has been superseded or the client made it up.
   */
  record Suspicious(long timestamp) implements BatchOutcome {}

  /**
   * Nothing has been executed and nothing may leave: a validation of a transaction that the client
   * does not show to be its own.
   */
  record Unowned(long startTimestamp) implements BatchOutcome {}
}
