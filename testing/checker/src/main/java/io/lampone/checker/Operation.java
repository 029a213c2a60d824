package io.lampone.checker;

import java.util.List;

/** Operation of a transaction on one key, in its order. */
public sealed interface Operation {

  /** The key. */
  String key();

  /**
   * A read.
   *
   * @param elements its result: the list, oldest element first; of a register its value or, if it
   *     has none, empty
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
