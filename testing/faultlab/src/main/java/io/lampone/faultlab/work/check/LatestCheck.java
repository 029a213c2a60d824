package io.lampone.faultlab.work.check;

import io.lampone.checker.History;
import io.lampone.checker.HistoryTransaction;
import io.lampone.checker.Operation;
import io.lampone.checker.Outcome;
import io.lampone.faultlab.work.client.ClientMain;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Check that a latest read of a list returns every element that was acknowledged, or returned to
 * any reader, before it began.
 */
public final class LatestCheck implements Check {

  /** The name under which a history keeps such a read. */
  public static final String NAME = "latest";

  /** Known content of a key from a moment on. */
  private record Known(long nanos, List<Long> elements) {}

  @Override
  public List<String> violations(History history) {
    Map<String, List<Known>> known = new HashMap<>();
    Map<String, List<HistoryTransaction>> readers = new HashMap<>();
    for (HistoryTransaction transaction : history.transactions()) {
      if (transaction.outcome() != Outcome.OK) {
        continue;
      }
      for (Operation operation : transaction.operations()) {
        List<Long> elements =
            operation instanceof Operation.Append append
                ? List.of(append.element())
                : operation instanceof Operation.Read read ? read.elements() : List.of();
        known
            .computeIfAbsent(operation.key(), key -> new ArrayList<>())
            .add(new Known(transaction.completeNanos(), elements));
        if (transaction.id().equals(NAME)) {
          readers.computeIfAbsent(operation.key(), key -> new ArrayList<>()).add(transaction);
        }
      }
    }
    List<String> found = new ArrayList<>();
    readers.forEach((key, all) -> check(all, known.getOrDefault(key, List.of()), found));
    return found;
  }

  private static void check(
      List<HistoryTransaction> readers, List<Known> known, List<String> found) {
    List<HistoryTransaction> byBegin = new ArrayList<>(readers);
    byBegin.sort(Comparator.comparingLong(HistoryTransaction::invokeNanos));
    List<Known> byEnd = new ArrayList<>(known);
    byEnd.sort(Comparator.comparingLong(Known::nanos));
    Set<Long> before = new HashSet<>();
    int next = 0;
    for (HistoryTransaction reader : byBegin) {
      while (next < byEnd.size()
          && byEnd.get(next).nanos() + ClientMain.CLOCK_SLACK_NANOS < reader.invokeNanos()) {
        before.addAll(byEnd.get(next++).elements());
      }
      Operation.Read read = (Operation.Read) reader.operations().get(0);
      Set<Long> missed = new HashSet<>(before);
      read.elements().forEach(missed::remove);
      if (!missed.isEmpty()) {
        found.add("a latest read misses elements=" + missed + ": " + reader.describe());
      }
    }
  }
}
