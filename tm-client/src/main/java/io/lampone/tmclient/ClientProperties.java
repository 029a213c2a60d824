package io.lampone.tmclient;

import static java.util.Map.entry;

import io.lampone.protocol.connect.SecurityProperties;
import java.time.Duration;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a client as properties, the same for applications, region servers and tools.
 * Durations are written {@code 10s}, {@code 500ms}; a bare number is milliseconds.
 */
public final class ClientProperties {

  /** Common prefix of all properties. */
  public static final String PREFIX = SecurityProperties.PREFIX;

  private static final Pattern DURATION = Pattern.compile("([0-9]{1,12})(ms|s|m|)");

  private static final Map<String, BiConsumer<TransactionManagerClientConfig.Builder, String>>
      SETTERS =
          Map.ofEntries(
              entry("timeout", (c, v) -> c.requestTimeout(duration(v))),
              entry("connect.timeout", (c, v) -> c.connectTimeout(duration(v))),
              entry("stall.timeout", (c, v) -> c.stallTimeout(duration(v))),
              entry("backoff.cap", (c, v) -> c.backoffCap(duration(v))),
              entry("outstanding", (c, v) -> c.maxOutstanding(Integer.parseInt(v))),
              entry("frames.in.flight", (c, v) -> c.maxBatchesInFlight(Integer.parseInt(v))));

  private ClientProperties() {}

  /** Returns the full names of all properties, sorted. */
  public static TreeSet<String> names() {
    TreeSet<String> names = SecurityProperties.names();
    SETTERS.keySet().forEach(name -> names.add(PREFIX + name));
    return names;
  }

  /**
   * Reads the properties; unset properties have their defaults.
   *
   * @throws IllegalArgumentException if a value is not usable; the message names the property
   */
  public static TransactionManagerClientConfig.Builder read(
      Function<String, @Nullable String> lookup) {
    TransactionManagerClientConfig.Builder builder = TransactionManagerClientConfig.builder();
    SETTERS.forEach(
        (shortName, setter) -> {
          String name = PREFIX + shortName;
          String value = lookup.apply(name);
          if (value != null) {
            set(builder, setter, name, value.trim());
          }
        });
    return builder.security(SecurityProperties.read(lookup));
  }

  private static void set(
      TransactionManagerClientConfig.Builder builder,
      BiConsumer<TransactionManagerClientConfig.Builder, String> setter,
      String name,
      String value) {
    try {
      setter.accept(builder, value);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "property without a usable value, name="
              + name
              + " value="
              + value
              + " cause="
              + e.getMessage(),
          e);
    }
  }

  private static Duration duration(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("not a duration such as 10s or 500ms");
    }
    long number = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      default -> Duration.ofMillis(number);
    };
  }
}
