package io.lampone.cli.shell;

import io.lampone.protocol.Bytes;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One argument of a {@link Statement}. */
sealed interface Argument {

  /** Returns the name of this kind of argument in messages. */
  String kind();

  /** Word, quoted or not. Holds bytes, because keys and values need not be text. */
  record Word(Bytes bytes) implements Argument {
    @Override
    public String kind() {
      return "a word";
    }
  }

  /** {@code [a, b]}. */
  record Items(List<Argument> items) implements Argument {
    public Items {
      items = List.copyOf(items);
    }

    @Override
    public String kind() {
      return "a list [...]";
    }
  }

  /** {@code {KEY => value}}, keys in capitals, in the order in which they were written. */
  record Options(Map<String, Argument> values) implements Argument {
    public Options {
      values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    @Override
    public String kind() {
      return "options {...}";
    }
  }
}
