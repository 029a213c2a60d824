package io.lampone.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Figures as one line of JSON, for programs that compare runs. */
public final class JsonLine {

  private JsonLine() {}

  /**
   * Writes maps with text keys, lists, numbers, booleans and texts.
   *
   * @throws IllegalArgumentException if there is any other type in it
   */
  public static String of(Object value) {
    if (value instanceof Map<?, ?> map) {
      List<String> members = new ArrayList<>();
      map.forEach((key, member) -> members.add(quoted(key.toString()) + ":" + of(member)));
      return "{" + String.join(",", members) + "}";
    }
    if (value instanceof List<?> list) {
      List<String> elements = new ArrayList<>();
      list.forEach(element -> elements.add(of(element)));
      return "[" + String.join(",", elements) + "]";
    }
    if (value instanceof Double number) {
      return String.format(Locale.ROOT, "%.4f", number);
    }
    if (value instanceof Number || value instanceof Boolean) {
      return value.toString();
    }
    if (value instanceof String text) {
      return quoted(text);
    }
    throw new IllegalArgumentException("no JSON for this type, type=" + value.getClass());
  }

  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ') {
        quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
