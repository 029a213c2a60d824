package io.lampone.tm;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Property values by name without the common prefix; errors name the property. */
final class PropertyValues {

  private final Map<String, String> values;

  PropertyValues(Map<String, String> values) {
    this.values = Map.copyOf(values);
  }

  String text(String name, String otherwise) {
    return values.getOrDefault(name, otherwise);
  }

  int integer(String name, int otherwise) {
    return read(name, otherwise, Integer::parseInt);
  }

  boolean flag(String name, boolean otherwise) {
    return read(name, otherwise, TransactionManagerConfig::bool);
  }

  Duration duration(String name, Duration otherwise) {
    return read(name, otherwise, TransactionManagerConfig::duration);
  }

  /** Returns the path of a file; empty if the property is unset or blank. */
  Optional<Path> file(String name) {
    return read(
        name,
        Optional.empty(),
        text -> text.isEmpty() ? Optional.empty() : Optional.of(Path.of(text)));
  }

  /** Returns the constant of {@code type} whose name in lower case is the value. */
  <E extends Enum<E>> E oneOf(String name, Class<E> type, E otherwise) {
    return read(
        name,
        otherwise,
        text ->
            Arrays.stream(type.getEnumConstants())
                .filter(constant -> constant.name().toLowerCase(Locale.ROOT).equals(text))
                .findFirst()
                .orElseThrow(
                    () ->
                        new IllegalArgumentException(
                            "must be one of "
                                + Arrays.toString(type.getEnumConstants())
                                    .toLowerCase(Locale.ROOT))));
  }

  private <T> T read(String name, T otherwise, Function<String, T> reader) {
    String value = values.get(name);
    if (value == null) {
      return otherwise;
    }
    try {
      return reader.apply(value);
    } catch (IllegalArgumentException e) {
      throw TransactionManagerConfig.unusable(name, value, e);
    }
  }
}
