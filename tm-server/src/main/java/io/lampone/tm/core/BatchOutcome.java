package io.lampone.tm.core;

import io.lampone.protocol.wire.WireReply;
import java.util.List;

/** What becomes of a batch of requests. */
public sealed interface BatchOutcome {

  /** The replies may leave, in the order of the requests. */
  record Answered(List<WireReply> replies) implements BatchOutcome {}

  /** Nothing may leave: this process cannot prove that it is the primary. */
  record Silent() implements BatchOutcome {}

  /**
   * Nothing has been executed and nothing may leave: a timestamp at or above the persisted bound.
   * Either this process has been superseded or the client made it up.
   */
  record Suspicious(long timestamp) implements BatchOutcome {}
}
