package io.lampone.protocol.config;

import java.util.List;

/**
 * Declaration of a property, printed into {@code lampone-site.xml} and the reference page. The
 * class that reads a property declares it; a test beside it compares default and limits with the
 * behaviour of the code.
 *
 * @param name the full name
 * @param type the type of its value
 * @param defaultValue the default in the notation of the file; empty if there is none
 * @param lowest the lowest legal value in the same notation; empty if there is no limit
 * @param highest the highest legal value; empty if there is no limit
 * @param choices the legal values; empty unless {@code type} is {@link Type#CHOICE}
 * @param meaning description for the administrator who sets it
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

  /** Declares a duration between two limits, either of which may be empty. */
  public static Property duration(
      String name, String defaultValue, String lowest, String highest, String meaning) {
    return new Property(name, Type.DURATION, defaultValue, lowest, highest, List.of(), meaning);
  }

  /** Declares a number between two limits. */
  public static Property count(
      String name, long defaultValue, long lowest, long highest, String meaning) {
    return number(name, Type.COUNT, defaultValue, lowest, highest, meaning);
  }

  /** Declares a number of bytes between two limits. */
  public static Property bytes(
      String name, long defaultValue, long lowest, long highest, String meaning) {
    return number(name, Type.BYTES, defaultValue, lowest, highest, meaning);
  }

  /** Declares a boolean. */
  public static Property flag(String name, boolean defaultValue, String meaning) {
    return plain(name, Type.BOOLEAN, Boolean.toString(defaultValue), meaning);
  }

  /** Declares a choice of a few words, the first of which is the default. */
  public static Property choice(String name, List<String> choices, String meaning) {
    return new Property(name, Type.CHOICE, choices.get(0), "", "", choices, meaning);
  }

  /** Declares text; the default may be empty. */
  public static Property text(String name, String defaultValue, String meaning) {
    return plain(name, Type.TEXT, defaultValue, meaning);
  }

  /** Declares the path of a file, without a default. */
  public static Property file(String name, String meaning) {
    return plain(name, Type.FILE, "", meaning);
  }

  /** Declares the path of a znode. */
  public static Property znode(String name, String defaultValue, String meaning) {
    return plain(name, Type.PATH, defaultValue, meaning);
  }

  /** Returns the limits in words; empty if there are none. */
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
