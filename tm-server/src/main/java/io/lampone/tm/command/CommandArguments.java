package io.lampone.tm.command;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Arguments of a command: {@code key=value} pairs separated by white space. */
final class CommandArguments {

  private final Map<String, String> values;

  private CommandArguments(Map<String, String> values) {
    this.values = values;
  }

  /**
   * Parses arguments.
   *
   * @param known the keys that the command supports
   * @throws IllegalArgumentException for another key, or text that is not a pair
   */
  static CommandArguments parse(String argument, List<String> known) {
    Map<String, String> values = new LinkedHashMap<>();
    for (String pair : argument.trim().split("\\s+", -1)) {
      if (pair.isEmpty()) {
        continue;
      }
      int equals = pair.indexOf('=');
      String key = equals < 0 ? "" : pair.substring(0, equals);
      if (!known.contains(key) || values.put(key, pair.substring(equals + 1)) != null) {
        throw new IllegalArgumentException(
            "wrong argument, argument=" + pair + " known=" + known + " as key=value, each once");
      }
    }
    return new CommandArguments(values);
  }

  Optional<String> find(String key) {
    return Optional.ofNullable(values.get(key));
  }

  String text(String key) {
    return find(key)
        .orElseThrow(() -> new IllegalArgumentException("argument missing, key=" + key));
  }

  long timestamp(String key) {
    try {
      return Long.parseLong(text(key));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("not a timestamp, key=" + key, e);
    }
  }

  /** Returns a number of milliseconds. */
  Duration millis(String key) {
    try {
      return Duration.ofMillis(Long.parseLong(text(key)));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("not a number of milliseconds, key=" + key, e);
    }
  }
}
