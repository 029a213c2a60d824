package io.lampone.faultlab.work;

import io.lampone.client.LamponeClient;
import io.lampone.client.TransactionOutcome;
import io.lampone.client.fastpath.FastPathId;
import io.lampone.protocol.TransactionId;
import java.io.IOException;

/** Ids of transactions with an unknown outcome, as written in a history. */
public final class OutcomeIds {

  /** Before the name of an operation of the fast path. */
  static final String FAST = "fast:";

  private OutcomeIds() {}

  /** Returns the present answer of the product on it. */
  public static TransactionOutcome ask(LamponeClient client, String id) throws IOException {
    return id.startsWith(FAST)
        ? client.fastPath().outcome(FastPathId.parse(id.substring(FAST.length())))
        : client.status(TransactionId.parse(id));
  }

  /** Its start timestamp; 0 if it has none. */
  public static long startTimestamp(String id) {
    return id.startsWith(FAST) ? 0 : TransactionId.parse(id).startTimestamp();
  }
}
