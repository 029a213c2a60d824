package io.lampone.tm.core.validation;

/** Outcome of a frame of requests. */
public sealed interface BatchOutcome {

  /** See {@link Answered}; there is one, so that answering makes no object. */
  Answered ANSWERED = new Answered();

  /** See {@link Silent}. */
  Silent SILENT = new Silent();

  /** The replies may leave; they have been written in the order of the requests. */
  record Answered() implements BatchOutcome {}

  /** No reply may leave, whatever was written: this process cannot prove that it is the primary. */
  record Silent() implements BatchOutcome {}

  /**
   * No request was executed and no reply may leave: a timestamp at or above the persisted bound.
   * Either this process has been superseded or the client made it up.
   */
  record Suspicious(long timestamp) implements BatchOutcome {}

  /**
   * No request was executed and no reply may leave: a validation of a transaction that the client
   * does not show to be its own.
   */
  record Unowned(long startTimestamp) implements BatchOutcome {}
}
