package io.lampone.benchmarks.report;

import java.util.LinkedHashMap;
import java.util.Map;

/** Line {@code word name=value name=value ...} between processes of a benchmark. */
public final class Fields {

  private final String word;
  private final Map<String, String> values;

  private Fields(String word, Map<String, String> values) {
    this.word = word;
    this.values = values;
  }

  /** Creates a line without fields. */
  public static Fields of(String word) {
    return new Fields(word, new LinkedHashMap<>());
  }

  /**
   * Parses the result of {@link #toString}.
   *
   * @throws IllegalArgumentException if the line is malformed
   */
  public static Fields parse(String line) {
    String[] parts = line.strip().split(" +", -1);
    Fields fields = of(parts[0]);
    for (int i = 1; i < parts.length; i++) {
      int equals = parts[i].indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException("field without a name, line=" + line);
      }
      fields.values.put(parts[i].substring(0, equals), parts[i].substring(equals + 1));
    }
    return fields;
  }

  /** Adds a field; neither name nor value may contain white space. */
  public Fields with(String name, Object value) {
    values.put(name, value.toString());
    return this;
  }

  /** Returns the first word of the line. */
  public String word() {
    return word;
  }

  /**
   * Returns the value of a field.
   *
   * @throws IllegalArgumentException if the line has no such field
   */
  public String text(String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("line lacks a field, name=" + name + " line=" + this);
    }
    return value;
  }

  /** Returns the value of an integer field. */
  public long number(String name) {
    return Long.parseLong(text(name));
  }

  @Override
  public String toString() {
    StringBuilder line = new StringBuilder(word);
    values.forEach((name, value) -> line.append(' ').append(name).append('=').append(value));
    return line.toString();
  }
}
