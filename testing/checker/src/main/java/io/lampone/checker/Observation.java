package io.lampone.checker;

import java.util.List;

/**
 * View of a key by a transaction, without its own writes.
 *
 * @param reader the reading transaction
 * @param key the key
 * @param elements the list; of a register its value or, if it has none, empty
 */
record Observation(HistoryTransaction reader, String key, List<Long> elements) {

  /** Snapshot of an observation that has none to be checked against. */
  static final long NO_SNAPSHOT = 0;

  /**
   * Returns the snapshot: sees commits below it. A conditional write of the fast path reads at its
   * own commit timestamp; a plain read of the fast path, and a LATEST transaction, at any time.
   */
  long snapshot() {
    if (reader.fastPath()) {
      return reader.commitTimestamp();
    }
    return reader.startTimestamp();
  }

  /**
   * Returns the timestamp below which it must miss no commit: that of the commit of a serializable
   * transaction, else the snapshot.
   */
  long standsUntil() {
    return reader.serializable() ? Math.max(snapshot(), reader.commitTimestamp()) : snapshot();
  }

  /** Returns true if it is of a plain read of the fast path or of a LATEST transaction. */
  boolean isWithoutSnapshot() {
    return reader.readsWithoutSnapshot();
  }

  boolean isEmpty() {
    return elements.isEmpty();
  }

  /** The element that was put there last. */
  long newest() {
    return elements.get(elements.size() - 1);
  }
}
