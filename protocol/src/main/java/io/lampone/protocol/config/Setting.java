package io.lampone.protocol.config;

import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A property: its name, type, default, limits and meaning. Values are parsed and checked by it, and
 * {@code lampone-site.xml} and the reference page are printed from it. {@link SettingList} declares
 * them.
 *
 * @param <T> type of its values
 */
public final class Setting<T> {

  /** Type and notation of a value. */
  public enum Type {
    DURATION("duration: 500ms, 10s, 1m"),
    COUNT("number"),
    BYTES("number of bytes"),
    BOOLEAN("true or false"),
    CHOICE("one of"),
    TEXT("text"),
    FILE("path of a file"),
    PATH("path of a znode");

    private final String notation;

    Type(String notation) {
      this.notation = notation;
    }
  }

  /**
   * Limits of the values, in the notation of the file.
   *
   * @param lowest empty if there is no limit
   * @param highest empty if there is no limit
   * @param choices the legal values; empty for other types than {@link Type#CHOICE}
   */
  record Limits(String lowest, String highest, List<String> choices) {

    static final Limits NONE = new Limits("", "", List.of());

    @Override
    public String toString() {
      if (!choices.isEmpty()) {
        return String.join(", ", choices);
      }
      if (!lowest.isEmpty() && !highest.isEmpty()) {
        return lowest + " to " + highest;
      }
      if (!lowest.isEmpty()) {
        return "at least " + lowest;
      }
      return highest.isEmpty() ? "" : "at most " + highest;
    }
  }

  private final String name;
  private final Type type;
  private final String defaultText;
  private final Limits limits;
  private final String meaning;
  private final Function<String, T> parser;
  private final Predicate<T> legal;
  private final T defaultValue;

  /**
   * A declaration.
   *
   * @param parser throws IllegalArgumentException for illegible text
   * @param legal whether a value is within the limits
   */
  Setting(
      String name,
      Type type,
      String defaultText,
      Limits limits,
      Function<String, T> parser,
      Predicate<T> legal,
      String meaning) {
    if (meaning.isBlank()) {
      throw new IllegalArgumentException("without a meaning, name=" + name);
    }
    this.name = name;
    this.type = type;
    this.defaultText = defaultText;
    this.limits = limits;
    this.meaning = meaning;
    this.parser = parser;
    this.legal = legal;
    this.defaultValue = parse(defaultText);
  }

  /** Returns the full name. */
  public String name() {
    return name;
  }

  public Type type() {
    return type;
  }

  public T defaultValue() {
    return defaultValue;
  }

  /** Returns the default in the notation of the file; empty if there is none. */
  public String defaultText() {
    return defaultText;
  }

  /** Returns the lowest legal value in the notation of the file; empty if there is no limit. */
  public String lowest() {
    return limits.lowest;
  }

  /** Returns the highest legal value in the notation of the file; empty if there is no limit. */
  public String highest() {
    return limits.highest;
  }

  /** Returns the legal values; empty for other types than {@link Type#CHOICE}. */
  public List<String> choices() {
    return limits.choices;
  }

  /** Returns the description for administrators. */
  public String meaning() {
    return meaning;
  }

  /** Returns the legal values in words. */
  public String legalValues() {
    if (type == Type.CHOICE) {
      return type.notation + " " + limits;
    }
    String range = limits.toString();
    return range.isEmpty() ? type.notation : type.notation + ", " + range;
  }

  /**
   * Returns the value of a property.
   *
   * @param lookup text by name; null if the property is unset, which means the default
   * @throws IllegalArgumentException if the text is illegible, or out of range
   */
  public T read(Function<String, @Nullable String> lookup) {
    String text = lookup.apply(name);
    return text == null ? defaultValue : parse(text.trim());
  }

  /** Returns the value that {@code text} stands for; refuses it as {@link #read} does. */
  private T parse(String text) {
    T value;
    try {
      value = parser.apply(text);
    } catch (IllegalArgumentException e) {
      throw unusable(text, e);
    }
    require(legal.test(value), text, legalValues());
    return value;
  }

  /**
   * Returns a value.
   *
   * @throws IllegalArgumentException if it is out of range
   */
  public T check(T value) {
    require(legal.test(value), value, legalValues());
    return value;
  }

  /**
   * Fails unless a condition holds.
   *
   * @param demand what the value must be
   * @throws IllegalArgumentException with the name, the value and the demand
   */
  public void require(boolean holds, Object value, String demand) {
    if (!holds) {
      throw unusable(value, demand, null);
    }
  }

  /** Returns the error for a value that cannot be used. */
  public IllegalArgumentException unusable(Object value, Exception cause) {
    return unusable(value, legalValues() + " cause=" + cause.getMessage(), cause);
  }

  private IllegalArgumentException unusable(
      Object value, String demand, @Nullable Exception cause) {
    return new IllegalArgumentException(
        "property without a usable value, name=" + name + " value=" + value + " legal=" + demand,
        cause);
  }

  @Override
  public String toString() {
    return name;
  }
}
