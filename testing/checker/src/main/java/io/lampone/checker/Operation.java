package io.lampone.checker;

import java.util.List;

/** Operation of a transaction on one key, in its order. */
public sealed interface Operation {

  /** The key. */
  String key();

  /**
   * A read.
   *
   * @param elements what it returned: the list, oldest element first; for a register its value
   *     alone, or nothing
   */
  record Read(String key, List<Long> elements) implements Operation {

    public Read {
      elements = List.copyOf(elements);
    }
  }

  /** Append of an element to a list; each element is unique in a history. */
  record Append(String key, long element) implements Operation {}

  /** Write of a value to a register; each value is unique in a history. */
  record Write(String key, long value) implements Operation {}
}
