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

  /** An element put at the end of a list; no element is ever put twice into a history. */
  record Append(String key, long element) implements Operation {}

  /** A value put into a register; no value is ever put twice into a history. */
  record Write(String key, long value) implements Operation {}
}
