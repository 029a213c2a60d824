package io.lampone.benchmarks;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Options of a benchmark: {@code --name value}, or {@code --name} for a flag. */
public final class Options {

  private final Map<String, String> given = new HashMap<>();

  /**
   * Parses a command line.
   *
   * @param named options with a value
   * @param flags options without a value
   * @throws IllegalArgumentException if there is any other argument
   */
  public Options(String[] arguments, Set<String> named, Set<String> flags) {
    for (int i = 0; i < arguments.length; i++) {
      String name = arguments[i].startsWith("--") ? arguments[i].substring(2) : "";
      if (flags.contains(name)) {
        given.put(name, "true");
      } else if (named.contains(name) && i + 1 < arguments.length) {
        i++;
        given.put(name, arguments[i]);
      } else {
        throw new IllegalArgumentException(
            "unknown option or option without its value, option="
                + arguments[i]
                + " withValue="
                + new TreeSet<>(named)
                + " flags="
                + new TreeSet<>(flags));
      }
    }
  }

  /** Returns true if the flag is present. */
  public boolean has(String flag) {
    return given.containsKey(flag);
  }

  /** Returns the value of an option that is a positive number, or its default. */
  public double number(String name, double otherwise) {
    double value = Double.parseDouble(given.getOrDefault(name, Double.toString(otherwise)));
    if (!(value > 0)) {
      throw new IllegalArgumentException("not above zero, option=--" + name + " value=" + value);
    }
    return value;
  }

  /** Returns the value of an option that is a list of positive integers, or its default. */
  public List<Integer> numbers(String name, String otherwise) {
    List<Integer> values = new ArrayList<>();
    for (String part : given.getOrDefault(name, otherwise).split(",", -1)) {
      int value = Integer.parseInt(part.strip());
      if (value < 1) {
        throw new IllegalArgumentException("not above zero, option=--" + name + " value=" + value);
      }
      values.add(value);
    }
    return values;
  }
}
