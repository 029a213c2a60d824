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
import java.util.TreeSet;

/**
 * Check of keys that are written once: of two readers of the same keys, one sees all that the other
 * sees; and a reader that begins after the end of another one sees at least as much.
 */
public final class OneOrderCheck implements Check {

  private record View(HistoryTransaction reader, Set<String> present) {}

  @Override
  public List<String> violations(History history) {
    Map<Set<String>, List<View>> byKeys = new HashMap<>();
    for (HistoryTransaction transaction : history.transactions()) {
      if (transaction.outcome() == Outcome.OK && !transaction.writes()) {
        Set<String> asked = new TreeSet<>();
        Set<String> present = new HashSet<>();
        for (Operation operation : transaction.operations()) {
          if (operation instanceof Operation.Read read) {
            asked.add(read.key());
            if (!read.elements().isEmpty()) {
              present.add(read.key());
            }
          }
        }
        byKeys
            .computeIfAbsent(asked, keys -> new ArrayList<>())
            .add(new View(transaction, present));
      }
    }
    List<String> found = new ArrayList<>();
    byKeys.values().forEach(views -> check(views, found));
    return found;
  }

  /** In the order of their size, each must contain the one before; so any two fit. */
  private static void check(List<View> views, List<String> found) {
    List<View> bySize = new ArrayList<>(views);
    bySize.sort(Comparator.comparingInt(view -> view.present().size()));
    for (int i = 1; i < bySize.size(); i++) {
      if (!bySize.get(i).present().containsAll(bySize.get(i - 1).present())) {
        found.add("two readers see writes in different orders" + both(bySize, i));
      }
    }
    List<View> byBegin = new ArrayList<>(views);
    byBegin.sort(Comparator.comparingLong(view -> view.reader().freshNanos()));
    List<View> byEnd = new ArrayList<>(views);
    byEnd.sort(Comparator.comparingLong(view -> view.reader().completeNanos()));
    int next = 0;
    int most = 0;
    for (View view : byBegin) {
      while (next < byEnd.size()
          && byEnd.get(next).reader().completeNanos() + ClientMain.CLOCK_SLACK_NANOS
              < view.reader().freshNanos()) {
        most = Math.max(most, byEnd.get(next++).present().size());
      }
      if (view.present().size() < most) {
        found.add("a reader sees less than one who had ended: " + view.reader().describe());
      }
    }
  }

  private static String both(List<View> views, int i) {
    return ": " + views.get(i - 1).reader().describe() + " and " + views.get(i).reader().describe();
  }
}
