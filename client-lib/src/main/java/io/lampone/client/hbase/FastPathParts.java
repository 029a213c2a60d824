package io.lampone.client.hbase;

import io.lampone.client.core.FastPathWrites;
import io.lampone.client.core.IntentResolver;
import io.lampone.client.core.OperationNames;
import io.lampone.client.core.OperationStatusLookup;
import io.lampone.client.core.Session;
import io.lampone.client.core.TransactionManagerPort;
import io.lampone.protocol.time.Clock;
import java.time.Duration;

/**
 * Parts of one client's fast path.
 *
 * @param session order of events as the client knows it
 * @param names of its operations
 * @param writes applies them
 * @param fates finds their outcomes
 * @param resolver judges intents that reads meet
 * @param manager asked by strict operations, and for a floor where an intent was met; never else
 * @param clock for deadlines
 * @param timeout of one operation
 */
public record FastPathParts(
    Session session,
    OperationNames names,
    FastPathWrites writes,
    OperationStatusLookup fates,
    IntentResolver resolver,
    TransactionManagerPort manager,
    Clock clock,
    Duration timeout) {

  long deadlineNanos() {
    return clock.monotonicNanos() + timeout.toNanos();
  }
}
