package io.lampone.protocol.config;

import io.lampone.protocol.config.Setting.Limits;
import io.lampone.protocol.config.Setting.Type;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Declares the settings with one prefix, in the order of the reference page. */
public final class SettingList {

  private static final Pattern DURATION =
      Pattern.compile("(-?[0-9]+) ?(ms|s|m|h|d|)", Pattern.CASE_INSENSITIVE);

  private static final Map<String, ChronoUnit> UNITS =
      Map.of(
          "", ChronoUnit.MILLIS,
          "ms", ChronoUnit.MILLIS,
          "s", ChronoUnit.SECONDS,
          "m", ChronoUnit.MINUTES,
          "h", ChronoUnit.HOURS,
          "d", ChronoUnit.DAYS);

  private static final Pattern ZNODE = Pattern.compile("(/[^/]+)+");

  private final String prefix;
  private final boolean unitless;
  private final List<Setting<?>> all = new ArrayList<>();

  /**
   * Creates an empty list.
   *
   * @param prefix common prefix of the names
   * @param unitless whether durations may lack their unit; they are milliseconds then, as in HBase
   */
  public SettingList(String prefix, boolean unitless) {
    this.prefix = prefix;
    this.unitless = unitless;
  }

  /** Returns what has been declared. */
  public List<Setting<?>> all() {
    return Collections.unmodifiableList(all);
  }

  /** Returns the full names, sorted. */
  public TreeSet<String> names() {
    TreeSet<String> names = new TreeSet<>();
    all.forEach(setting -> names.add(setting.name()));
    return names;
  }

  /** Declares a duration between two limits, either of which may be empty. */
  public Setting<Duration> duration(
      String name, String defaultValue, String lowest, String highest, String meaning) {
    return comparable(
        name, Type.DURATION, defaultValue, lowest, highest, this::parseDuration, meaning);
  }

  /** Declares a number between two limits. */
  public Setting<Integer> count(
      String name, int defaultValue, int lowest, int highest, String meaning) {
    return comparable(
        name,
        Type.COUNT,
        Integer.toString(defaultValue),
        Integer.toString(lowest),
        Integer.toString(highest),
        Integer::valueOf,
        meaning);
  }

  /** Declares a number of bytes between two limits. */
  public Setting<Long> bytes(
      String name, long defaultValue, long lowest, long highest, String meaning) {
    return comparable(
        name,
        Type.BYTES,
        Long.toString(defaultValue),
        Long.toString(lowest),
        Long.toString(highest),
        Long::valueOf,
        meaning);
  }

  /** Declares a boolean. */
  public Setting<Boolean> flag(String name, boolean defaultValue, String meaning) {
    return add(
        name,
        Type.BOOLEAN,
        Boolean.toString(defaultValue),
        Limits.NONE,
        SettingList::parseFlag,
        value -> true,
        meaning);
  }

  /** Declares a choice of the constants of {@code type}, the first of which is the default. */
  public <E extends Enum<E>> Setting<E> choice(String name, Class<E> type, String meaning) {
    List<String> choices =
        Arrays.stream(type.getEnumConstants())
            .map(constant -> constant.name().toLowerCase(Locale.ROOT))
            .toList();
    return add(
        name,
        Type.CHOICE,
        choices.get(0),
        new Limits("", "", choices),
        text -> Enum.valueOf(type, text.toUpperCase(Locale.ROOT)),
        value -> true,
        meaning);
  }

  /** Declares text; the default may be empty. */
  public Setting<String> text(String name, String defaultValue, String meaning) {
    return add(name, Type.TEXT, defaultValue, Limits.NONE, text -> text, value -> true, meaning);
  }

  /** Declares the path of a file, without a default. Empty text is no file. */
  public Setting<Optional<Path>> file(String name, String meaning) {
    return add(
        name,
        Type.FILE,
        "",
        Limits.NONE,
        text -> text.isEmpty() ? Optional.empty() : Optional.of(Path.of(text)),
        value -> true,
        meaning);
  }

  /** Declares the path of a znode. */
  public Setting<String> znode(String name, String defaultValue, String meaning) {
    return add(
        name,
        Type.PATH,
        defaultValue,
        Limits.NONE,
        text -> text,
        value -> ZNODE.matcher(value).matches(),
        meaning);
  }

  private <C extends Comparable<C>> Setting<C> comparable(
      String name,
      Type type,
      String defaultValue,
      String lowest,
      String highest,
      Function<String, C> parser,
      String meaning) {
    Optional<C> least = Optional.of(lowest).filter(text -> !text.isEmpty()).map(parser);
    Optional<C> most = Optional.of(highest).filter(text -> !text.isEmpty()).map(parser);
    return add(
        name,
        type,
        defaultValue,
        new Limits(lowest, highest, List.of()),
        parser,
        value ->
            least.filter(limit -> value.compareTo(limit) < 0).isEmpty()
                && most.filter(limit -> value.compareTo(limit) > 0).isEmpty(),
        meaning);
  }

  private <T> Setting<T> add(
      String name,
      Type type,
      String defaultValue,
      Limits limits,
      Function<String, T> parser,
      Predicate<T> legal,
      String meaning) {
    Setting<T> setting =
        new Setting<>(prefix + name, type, defaultValue, limits, parser, legal, meaning);
    all.add(setting);
    return setting;
  }

  private static boolean parseFlag(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("neither true nor false");
    };
  }

  private Duration parseDuration(String text) {
    try {
      Matcher matcher = DURATION.matcher(text);
      if (!matcher.matches()) {
        return Duration.parse(text);
      }
      String unit = matcher.group(2).toLowerCase(Locale.ROOT);
      if (unit.isEmpty() && !unitless) {
        throw new IllegalArgumentException("duration without a unit");
      }
      return Duration.of(Long.parseLong(matcher.group(1)), UNITS.get(unit));
    } catch (DateTimeException | ArithmeticException e) {
      throw new IllegalArgumentException("not a duration", e);
    }
  }
}
