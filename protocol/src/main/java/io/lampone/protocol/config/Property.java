package io.lampone.protocol.config;

import java.util.List;

/**
 * One declared property: what is printed into {@code lampone-site.xml} and the reference page. The
 * class that reads a property holds its declaration; a test beside it holds default and limits of
 * the declaration against what the code does.
 *
 * @param name the full name
 * @param type what its value is
 * @param defaultValue the value unless it is set, as one would write it; empty if there is none
 * @param lowest the lowest value that is taken, as one would write it; empty if there is no limit
 * @param highest the highest one
 * @param choices the values that can be chosen from; empty unless {@code type} is {@link
 *     Type#CHOICE}
 * @param meaning what it does, for whoever has to set it
 */
public record Property(
    String name,
    Type type,
    String defaultValue,
    String lowest,
    String highest,
    List<String> choices,
    String meaning) {

  /** Type and unit of a value. */
  public enum Type {
    DURATION("duration: 500ms, 10s, 1m"),
    COUNT("number"),
    BYTES("number of bytes"),
    BOOLEAN("true or false"),
    CHOICE("one of"),
    TEXT("text"),
    FILE("path of a file"),
    PATH("path of a znode");

    private final String unit;

    Type(String unit) {
      this.unit = unit;
    }

    /** Returns the notation of a value. */
    public String unit() {
      return unit;
    }
  }

  public Property {
    choices = List.copyOf(choices);
    if (name.isBlank() || meaning.isBlank() || choices.isEmpty() == (type == Type.CHOICE)) {
      throw new IllegalArgumentException("not a declaration, name=" + name + " type=" + type);
    }
  }

  /** A duration between two limits, of which either may be empty. */
  public static Property duration(
      String name, String defaultValue, String lowest, String highest, String meaning) {
    return new Property(name, Type.DURATION, defaultValue, lowest, highest, List.of(), meaning);
  }

  /** A number of things between two limits. */
  public static Property count(
      String name, long defaultValue, long lowest, long highest, String meaning) {
    return number(name, Type.COUNT, defaultValue, lowest, highest, meaning);
  }

  /** A number of bytes between two limits. */
  public static Property bytes(
      String name, long defaultValue, long lowest, long highest, String meaning) {
    return number(name, Type.BYTES, defaultValue, lowest, highest, meaning);
  }

  /** Something that is or is not. */
  public static Property flag(String name, boolean defaultValue, String meaning) {
    return plain(name, Type.BOOLEAN, Boolean.toString(defaultValue), meaning);
  }

  /** One of a few words, the first of which is the default. */
  public static Property choice(String name, List<String> choices, String meaning) {
    return new Property(name, Type.CHOICE, choices.get(0), "", "", choices, meaning);
  }

  /** Text, with or without a default. */
  public static Property text(String name, String defaultValue, String meaning) {
    return plain(name, Type.TEXT, defaultValue, meaning);
  }

  /** The name of a file; there is none unless it is set. */
  public static Property file(String name, String meaning) {
    return plain(name, Type.FILE, "", meaning);
  }

  /** The path of a znode. */
  public static Property znode(String name, String defaultValue, String meaning) {
    return plain(name, Type.PATH, defaultValue, meaning);
  }

  /** The limits in words; empty if there are none. */
  public String limits() {
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

  private static Property number(
      String name, Type type, long defaultValue, long lowest, long highest, String meaning) {
    return new Property(
        name,
        type,
        Long.toString(defaultValue),
        Long.toString(lowest),
        Long.toString(highest),
        List.of(),
        meaning);
  }

  private static Property plain(String name, Type type, String defaultValue, String meaning) {
    return new Property(name, type, defaultValue, "", "", List.of(), meaning);
  }
}
