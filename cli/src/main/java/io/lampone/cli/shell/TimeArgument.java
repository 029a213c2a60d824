package io.lampone.cli.shell;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Time argument in UTC: {@code 2026-11-23 15:50}, or {@code -5m} relative to now. */
final class TimeArgument {

  private static final Pattern RELATIVE = Pattern.compile("-(\\d{1,9})([smhd])");

  private static final int DATE_LENGTH = "2026-11-23".length();

  private TimeArgument() {}

  /**
   * Parses {@code text}; empty if it is not a time.
   *
   * @param now base of relative times
   */
  static Optional<Instant> parse(String text, Instant now) {
    Matcher relative = RELATIVE.matcher(text);
    try {
      return Optional.of(
          relative.matches()
              ? now.minus(unit(relative.group(2)).multipliedBy(Long.parseLong(relative.group(1))))
              : absolute(text));
    } catch (DateTimeException | ArithmeticException e) {
      return Optional.empty();
    }
  }

  private static Instant absolute(String text) {
    String iso = text.replace(' ', 'T').replaceFirst("Z$", "");
    return LocalDateTime.parse(iso.length() == DATE_LENGTH ? iso + "T00:00" : iso)
        .toInstant(ZoneOffset.UTC);
  }

  private static Duration unit(String letter) {
    return switch (letter) {
      case "s" -> Duration.ofSeconds(1);
      case "m" -> Duration.ofMinutes(1);
      case "h" -> Duration.ofHours(1);
      default -> Duration.ofDays(1);
    };
  }
}
