package io.lampone.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class TimestampsTest {

  @Test
  void microsecondsOfOurTimeArePlainAndNanosecondsAreNot() {
    long millis = Instant.parse("2026-11-21T10:00:00Z").toEpochMilli();
    assertThat(Timestamps.isPlain(millis)).isTrue();
    assertThat(Timestamps.isPlain(millis * 1_000)).isTrue(); // R13: they lie above 2^50
    assertThat(Timestamps.isPlain(millis * 1_000_000)).isFalse();
  }

  @Test
  void localNumbersTellSlotsFromFastPathVersions() {
    long tick = Timestamps.ceilingOfMillis(1_800_000_000_000L);
    assertThat(Timestamps.isGlobal(tick)).isTrue();
    for (int local = 0; local < 256; local++) {
      long version = tick + local;
      assertThat(Timestamps.tick(version)).isEqualTo(tick);
      assertThat(Timestamps.local(version)).isEqualTo(local);
      assertThat(Timestamps.needsTransactionCell(version)).isEqualTo(local < 128);
      assertThat(Timestamps.isCommittedAtBirth(version)).isEqualTo(local >= 128);
    }
  }

  @Test
  void aWallClockReadingIsRoundedUpToATickAndATimeIsRoundedDown() {
    for (long millis = 1_800_000_000_000L; millis < 1_800_000_000_300L; millis++) {
      long ceiling = Timestamps.ceilingOfMillis(millis);
      assertThat(ceiling).isBetween(millis * 1_000_000, millis * 1_000_000 + 255);
      assertThat(Timestamps.local(ceiling)).isZero();
      long floor = Timestamps.floorOf(Instant.ofEpochMilli(millis));
      assertThat(floor).isBetween(millis * 1_000_000 - 255, millis * 1_000_000);
      assertThat(Timestamps.local(floor)).isZero(); // H12: else a slot or a fast-path version
    }
  }

  @Test
  void timesThatNoTimestampCanStandForAreRefused() {
    assertThatThrownBy(() -> Timestamps.floorOf(Instant.parse("1971-01-01T00:00:00Z")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1971");
    assertThatThrownBy(() -> Timestamps.floorOf(Instant.parse("2300-01-01T00:00:00Z")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Timestamps.version(Timestamps.PLAIN_LIMIT, 128))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aTimestampReadsBackAsItsTime() {
    Instant time = Instant.parse("2026-11-21T10:11:12.000000512Z");
    assertThat(Timestamps.toInstant(Timestamps.floorOf(time))).isBeforeOrEqualTo(time);
    assertThat(Timestamps.toInstant(Timestamps.floorOf(time)).getEpochSecond())
        .isEqualTo(time.getEpochSecond());
  }
}
