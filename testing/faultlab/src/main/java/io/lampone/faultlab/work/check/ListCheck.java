package io.lampone.faultlab.work.check;

import io.lampone.checker.History;
import io.lampone.checker.HistoryTransaction;
import io.lampone.checker.Operation;
import io.lampone.checker.Outcome;
import io.lampone.faultlab.work.Stamps;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * In the end every acknowledged element is in its list, once, and none that certainly failed is.
 */
public final class ListCheck implements Check {

  @Override
  public List<String> violations(History history) {
    Map<String, List<Long>> last = new HashMap<>();
    for (HistoryTransaction transaction : history.transactions()) {
      if (transaction.outcome() == Outcome.OK && Stamps.isLast(transaction.process())) {
        for (Operation operation : transaction.operations()) {
          if (operation instanceof Operation.Read read) {
            last.put(read.key(), read.elements());
          }
        }
      }
    }
    List<String> found = new ArrayList<>();
    Map<String, Set<Long>> present = new HashMap<>();
    last.forEach(
        (key, elements) -> {
          Set<Long> once = new HashSet<>(elements);
          if (once.size() != elements.size()) {
            found.add("list: an element is there twice in the end, key=" + key);
          }
          present.put(key, once);
        });
    for (HistoryTransaction transaction : history.transactions()) {
      for (Operation operation : transaction.operations()) {
        Set<Long> there = present.get(operation.key());
        if (operation instanceof Operation.Append append && there != null) {
          boolean isThere = there.contains(append.element());
          if (transaction.outcome() == Outcome.OK && !isThere) {
            found.add("list: acknowledged and missing in the end, " + line(append, transaction));
          } else if (transaction.outcome() == Outcome.FAILED && isThere) {
            found.add("list: failed and there in the end, " + line(append, transaction));
          }
        }
      }
    }
    return found;
  }

  private static String line(Operation.Append append, HistoryTransaction transaction) {
    return "key=" + append.key() + " element=" + append.element() + " " + transaction.describe();
  }
}
