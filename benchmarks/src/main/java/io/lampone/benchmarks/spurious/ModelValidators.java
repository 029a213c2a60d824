package io.lampone.benchmarks.spurious;

import java.util.List;

/** Validators of the model; each has the keys whose remainder is its number. */
interface ModelValidators {

  /**
   * Validates what has arrived in one step, in the order of commit timestamps: each validator that
   * finds a conflict sets its bit in the transaction, all others record their share of its writes.
   */
  void validate(List<ModelTransaction> arrived);

  /** Returns the timestamp above which a committed write of a key read is a conflict. */
  long checkedFrom(ModelTransaction transaction, int read);

  /** Returns true if keys written are checked, too. */
  boolean checksWrites();

  /** Returns the hash of a key. */
  static long hash(int key) {
    return (key + 1) * 0x9E3779B97F4A7C15L;
  }
}
