package io.lampone.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What each transaction has to follow of its own process: the one with the highest timestamp among
 * those that were acknowledged before it. Nobody, if the history claims no such order.
 */
final class Sessions {

  private final Map<Integer, HistoryTransaction> before = new HashMap<>();

  Sessions(History history) {
    if (!history.header().claimsOrder()) {
      return;
    }
    List<HistoryTransaction> inOrder = new ArrayList<>(history.transactions());
    inOrder.sort(Comparator.comparingLong(HistoryTransaction::invokeNanos));
    Map<Integer, HistoryTransaction> newest = new HashMap<>();
    for (HistoryTransaction transaction : inOrder) {
      if (transaction.outcome() != Outcome.OK) {
        continue;
      }
      HistoryTransaction last = newest.get(transaction.process());
      if (last != null) {
        before.put(transaction.number(), last);
      }
      if (last == null || timestamp(transaction) >= timestamp(last)) {
        newest.put(transaction.process(), transaction);
      }
    }
  }

  /** Whom it follows, if anybody. */
  Optional<HistoryTransaction> before(HistoryTransaction transaction) {
    return Optional.ofNullable(before.get(transaction.number()));
  }

  /** The timestamp that it must not go behind; 0 if it follows nobody. */
  long mark(HistoryTransaction transaction) {
    return before(transaction).map(Sessions::timestamp).orElse(0L);
  }

  private static long timestamp(HistoryTransaction transaction) {
    return Math.max(transaction.startTimestamp(), transaction.commitTimestamp());
  }
}
