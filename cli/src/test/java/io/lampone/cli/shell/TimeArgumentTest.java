package io.lampone.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimeArgumentTest {

  private static final Instant NOW = Instant.parse("2026-11-23T15:50:00Z");

  @ParameterizedTest
  @CsvSource({
    "-90s, 2026-11-23T15:48:30Z",
    "-5m, 2026-11-23T15:45:00Z",
    "-2h, 2026-11-23T13:50:00Z",
    "-1d, 2026-11-22T15:50:00Z",
    "2026-11-23 15:50, 2026-11-23T15:50:00Z",
    "2026-11-23 15:50:07, 2026-11-23T15:50:07Z",
    "2026-11-23, 2026-11-23T00:00:00Z",
    "2026-11-23T15:50:07.123456512Z, 2026-11-23T15:50:07.123456512Z",
  })
  void timesAreInUtcOrCountFromNow(String text, Instant time) {
    assertThat(TimeArgument.parse(text, NOW)).contains(time);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"yesterday", "5m", "-5", "-5w", "15:50", "2026-13-01", "2026-11-23 25:00"})
  void otherTextIsNoTime(String text) {
    assertThat(TimeArgument.parse(text, NOW)).isEmpty();
  }

  @Test
  void aTimeBeforeAllTimeIsNoTime() {
    assertThat(TimeArgument.parse("-999999999d", Instant.MIN)).isEmpty();
  }
}
