package io.lampone.checker;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Commits that each transaction has to follow because its own client knew them: by acknowledgement
 * or by a read of one of its processes. A process whose session is not named is a client by itself.
 * Empty if the history claims no such order.
 */
final class Sessions {

  private final Map<Integer, Before> before = new HashMap<>();

  /**
   * Commits known to a client.
   *
   * @param newest the one that shows the newest commit
   * @param open readers that have shown a commit without a known timestamp, by number of its writer
   */
  record Before(KnownCommits newest, Map<Integer, KnownCommits> open) {

    Before {
      open = Map.copyOf(open);
    }

    private static Before of(KnownCommits first) {
      return new Before(first, Map.of()).and(first);
    }

    private Before and(KnownCommits told) {
      KnownCommits highest = told.shown().compareTo(newest.shown()) >= 0 ? told : newest;
      if (told.open().isEmpty()) {
        return new Before(highest, open);
      }
      Map<Integer, KnownCommits> all = new HashMap<>(open);
      told.open().forEach(writer -> all.putIfAbsent(writer.number(), told));
      return new Before(highest, all);
    }

    private Before and(Before other) {
      Map<Integer, KnownCommits> all = new HashMap<>(open);
      other.open.forEach(all::putIfAbsent);
      boolean isLater = other.newest.shown().compareTo(newest.shown()) > 0;
      return new Before(isLater ? other.newest : newest, all);
    }
  }

  Sessions(History history, Map<Integer, KnownCommits> told) {
    if (!history.header().claimsOrder()) {
      return;
    }
    List<HistoryTransaction> inOrder = new ArrayList<>(history.transactions());
    inOrder.sort(Comparator.comparingLong(HistoryTransaction::invokeNanos));
    followProcesses(inOrder, told);
    followClients(inOrder, told, 2 * history.header().clockSlackNanos());
  }

  /** A process does one after the other. */
  private void followProcesses(List<HistoryTransaction> inOrder, Map<Integer, KnownCommits> told) {
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
      known.put(transaction.process(), last == null ? Before.of(mine) : last.and(mine));
    }
  }

  /** Processes of one client know what has ended in any of them. */
  private void followClients(
      List<HistoryTransaction> inOrder, Map<Integer, KnownCommits> told, long slack) {
    List<KnownCommits> ended = new ArrayList<>(told.values());
    ended.removeIf(each -> each.client().session() == HistoryTransaction.NO_SESSION);
    ended.sort(Comparator.comparingLong(each -> each.client().completeNanos()));
    Map<Integer, Before> known = new HashMap<>();
    int next = 0;
    for (HistoryTransaction transaction : inOrder) {
      while (next < ended.size()
          && ended.get(next).client().completeNanos() + slack < transaction.invokeNanos()) {
        KnownCommits done = ended.get(next++);
        known.compute(
            done.client().session(),
            (session, last) -> last == null ? Before.of(done) : last.and(done));
      }
      Before ofClient = known.get(transaction.session());
      if (ofClient != null && told.containsKey(transaction.number())) {
        before.merge(transaction.number(), ofClient, Before::and);
      }
    }
  }

  /** Returns the commits known to its client; empty if that had no transaction before. */
  Optional<Before> before(HistoryTransaction transaction) {
    return Optional.ofNullable(before.get(transaction.number()));
  }

  /** Returns the known timestamp that it must not precede; 0 if there is none. */
  long mark(HistoryTransaction transaction) {
    return before(transaction).map(known -> known.newest().mark()).orElse(0L);
  }
}
