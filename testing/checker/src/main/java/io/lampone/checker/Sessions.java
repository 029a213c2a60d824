package io.lampone.checker;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Commits that each transaction has to follow because its own process knew them: by acknowledgement
 * or by a read. Empty if the history claims no such order.
 */
final class Sessions {

  private final Map<Integer, Before> before = new HashMap<>();

  /**
   * Commits known to a process.
   *
   * @param newest the one with the highest mark
   * @param open readers that have shown a commit without a known timestamp, by number of its writer
   */
  record Before(KnownCommits newest, Map<Integer, KnownCommits> open) {

    Before {
      open = Map.copyOf(open);
    }

    private Before and(KnownCommits told) {
      Map<Integer, KnownCommits> all = new HashMap<>(open);
      told.open().forEach(writer -> all.putIfAbsent(writer.number(), told));
      return new Before(told.mark() >= newest.mark() ? told : newest, all);
    }
  }

  Sessions(History history, Map<Integer, KnownCommits> told) {
    if (!history.header().claimsOrder()) {
      return;
    }
    List<HistoryTransaction> inOrder = new ArrayList<>(history.transactions());
    inOrder.sort(Comparator.comparingLong(HistoryTransaction::invokeNanos));
    Map<Integer, Before> known = new HashMap<>();
    for (HistoryTransaction transaction : inOrder) {
      KnownCommits mine = told.get(transaction.number());
      if (mine == null) {
        continue;
      }
      Before last = known.get(transaction.process());
      if (last != null) {
        before.put(transaction.number(), last);
      }
      known.put(
          transaction.process(), (last == null ? new Before(mine, Map.of()) : last).and(mine));
    }
  }

  /** Returns the commits known to its process; empty if it had no transaction before. */
  Optional<Before> before(HistoryTransaction transaction) {
    return Optional.ofNullable(before.get(transaction.number()));
  }

  /** Returns the known timestamp that it must not precede; 0 if there is none. */
  long mark(HistoryTransaction transaction) {
    return before(transaction).map(known -> known.newest().mark()).orElse(0L);
  }
}
