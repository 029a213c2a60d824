package io.lampone.protocol.tm;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * State of a region server, which it reports to the transaction manager for operators.
 *
 * @param server host and port
 * @param values counts since its start and gauges, by names such as {@code requests.Flush}; at most
 *     {@value #MAX_VALUES}
 */
public record ServerReport(String server, SortedMap<String, Long> values) {

  /** Maximum number of values. */
  public static final int MAX_VALUES = 100;

  /** Maximum length of the text form. */
  public static final int MAX_TEXT_BYTES = 8 << 10;

  private static final Pattern SERVER = Pattern.compile("[A-Za-z0-9.:\\[\\]_-]{1,255}");
  private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_]*(\\.[A-Za-z0-9_]+)?");
  private static final int MAX_NAME = 64;

  /**
   * @throws IllegalArgumentException if a name has other characters, or there are too many
   */
  public ServerReport {
    values = Collections.unmodifiableSortedMap(new TreeMap<>(values));
    if (!SERVER.matcher(server).matches() || values.size() > MAX_VALUES) {
      throw new IllegalArgumentException(
          "wrong server report, server=" + server + " values=" + values.size());
    }
    for (String name : values.keySet()) {
      if (name.length() > MAX_NAME || !NAME.matcher(name).matches()) {
        throw new IllegalArgumentException("wrong name in a server report, name=" + name);
      }
    }
  }

  /** Returns the text form: a line with the server, and one for each value. */
  public String text() {
    StringBuilder text = new StringBuilder(server);
    for (Map.Entry<String, Long> each : values.entrySet()) {
      text.append('\n').append(each.getKey()).append(' ').append(each.getValue());
    }
    return text.toString();
  }

  /**
   * Returns the report of a text form.
   *
   * @throws IllegalArgumentException if it is not one
   */
  public static ServerReport of(String text) {
    String[] lines = text.split("\n", -1);
    SortedMap<String, Long> values = new TreeMap<>();
    for (int i = 1; i < lines.length; i++) {
      int space = lines[i].indexOf(' ');
      if (space < 0) {
        throw new IllegalArgumentException("wrong line in a server report, line=" + lines[i]);
      }
      values.put(lines[i].substring(0, space), Long.parseLong(lines[i].substring(space + 1)));
    }
    return new ServerReport(lines[0], values);
  }
}
