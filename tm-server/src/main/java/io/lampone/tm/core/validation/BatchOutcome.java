package io.lampone.tm.core.validation;

/** Outcome of a frame of requests. */
public sealed interface BatchOutcome {

  /** See {@link Answered}; a single instance avoids allocation. */
  Answered ANSWERED = new Answered();

  /** See {@link Silent}. */
  Silent SILENT = new Silent();

  /** The replies may be sent; they have been written in the order of the requests. */
  record Answered() implements BatchOutcome {}

  /** No reply may be sent: this process cannot prove that it is the primary. */
  record Silent() implements BatchOutcome {}

  /**
   * No request was executed and no reply may be sent: a timestamp is at or above the persisted
   * bound. Either this process has been superseded or the client invented the timestamp.
   */
  record Suspicious(long timestamp) implements BatchOutcome {}

  /**
   * No request was executed and no reply may be sent: the client has not proved that a transaction
   * to validate is its own.
   */
  record Unowned(long startTimestamp) implements BatchOutcome {}
}
