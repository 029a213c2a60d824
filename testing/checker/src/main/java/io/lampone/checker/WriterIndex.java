package io.lampone.checker;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Index of elements by their writers. */
final class WriterIndex {

  private final Map<Written, HistoryTransaction> writers = new HashMap<>();
  private final NavigableSet<String> keys = new TreeSet<>(KeyRange.ORDER);

  private record Written(String key, long element) {}

  /**
   * Builds the index of all transactions.
   *
   * @throws IllegalArgumentException if an element was written twice: then no reader's source is
   *     known
   */
  WriterIndex(List<HistoryTransaction> transactions) {
    for (HistoryTransaction transaction : transactions) {
      for (Operation operation : transaction.operations()) {
        if (!(operation instanceof Operation.Read)) {
          keys.add(operation.key());
          HistoryTransaction other =
              writers.put(new Written(operation.key(), element(operation)), transaction);
          if (other != null) {
            throw new IllegalArgumentException(
                "not a usable history: an element is written twice, key="
                    + operation.key()
                    + " element="
                    + element(operation)
                    + " transactions="
                    + other.number()
                    + ","
                    + transaction.number());
          }
        }
      }
    }
  }

  /** Returns the written keys of a range. */
  NavigableSet<String> keys(KeyRange range) {
    return range.of(keys);
  }

  Optional<HistoryTransaction> writer(String key, long element) {
    return Optional.ofNullable(writers.get(new Written(key, element)));
  }

  /**
   * Returns a transaction's writes to a key, in their order; a register keeps only the last one.
   */
  static List<Long> written(HistoryTransaction transaction, String key) {
    List<Long> elements = new ArrayList<>();
    for (Operation operation : transaction.operations()) {
      if (operation.key().equals(key)) {
        if (operation instanceof Operation.Append append) {
          elements.add(append.element());
        } else if (operation instanceof Operation.Write write) {
          elements.clear();
          elements.add(write.value());
        }
      }
    }
    return elements;
  }

  /** The keys that a transaction wrote. */
  static Set<String> writtenKeys(HistoryTransaction transaction) {
    Set<String> keys = new TreeSet<>();
    for (Operation operation : transaction.operations()) {
      if (!(operation instanceof Operation.Read)) {
        keys.add(operation.key());
      }
    }
    return keys;
  }

  private static long element(Operation operation) {
    return operation instanceof Operation.Append append
        ? append.element()
        : ((Operation.Write) operation).value();
  }
}
