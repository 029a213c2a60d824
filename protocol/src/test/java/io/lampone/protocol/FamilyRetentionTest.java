package io.lampone.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FamilyRetentionTest {

  private static final long MILLIS = 1_800_000_000_000L;
  private static final long NOW = Timestamps.ceilingOfMillis(MILLIS);

  @Test
  void nothingExpiresUnlessItIsSaid() {
    assertThat(FamilyRetention.DEFAULT.isLimited()).isFalse();
    assertThat(FamilyRetention.DEFAULT.expiry(NOW)).isEqualTo(FamilyRetention.NEVER);
    assertThat(FamilyRetention.DEFAULT.expiry(5)).isEqualTo(FamilyRetention.NEVER);
  }

  @Test
  void aVersionExpiresItsLifetimeAfterTheStartOfItsWriterWhateverItsSlot() {
    FamilyRetention minute = new FamilyRetention(1, 0, 60_000);
    long expiry = minute.expiry(NOW);
    assertThat(expiry).isEqualTo(Timestamps.tick(NOW + TimeUnit.MINUTES.toNanos(1)));
    assertThat(Timestamps.isGlobal(expiry)).isTrue();
    assertThat(minute.expiry(NOW + 5)).isEqualTo(expiry);
    // Freezing moves a version within its tick.
    assertThat(minute.expiry(NOW + Timestamps.FIRST_FAST_PATH_LOCAL)).isEqualTo(expiry);
  }

  @Test
  void aVersionOfAPlainClientExpiresByItsMilliseconds() {
    FamilyRetention minute = new FamilyRetention(1, 0, 60_000);
    assertThat(minute.expiry(MILLIS))
        .isEqualTo(Timestamps.tick(TimeUnit.MILLISECONDS.toNanos(MILLIS + 60_000)));
    assertThat(minute.expiry(1)).isLessThan(NOW);
  }

  @Test
  void whatWouldExpireBehindTheEndOfTimeDoesNot() {
    FamilyRetention longest = new FamilyRetention(1, 0, Long.MAX_VALUE);
    assertThat(longest.expiry(NOW)).isEqualTo(FamilyRetention.NEVER);
    FamilyRetention minute = new FamilyRetention(1, 0, 60_000);
    // Microseconds of a plain client would be of the year 58,000.
    assertThat(minute.expiry(MILLIS * 1_000)).isEqualTo(FamilyRetention.NEVER);
  }

  @Test
  void aValueExpiresAtTheShorterOfItsOwnLifetimeAndItsFamilys() {
    FamilyRetention minute = new FamilyRetention(1, 1, 60_000, true);
    FamilyRetention forEver = new FamilyRetention(1, 0, FamilyRetention.FOREVER, true);
    long second = Timestamps.tick(NOW + TimeUnit.SECONDS.toNanos(1));
    assertThat(minute.expiry(NOW, 1_000, false)).isEqualTo(second);
    assertThat(minute.expiry(NOW, 1_000, true)).as("whatever else is exempt").isEqualTo(second);
    assertThat(minute.expiry(NOW, 90_000, false)).isEqualTo(minute.expiry(NOW));
    assertThat(minute.expiry(NOW, FamilyRetention.FOREVER, true)).isEqualTo(FamilyRetention.NEVER);
    assertThat(forEver.expiry(NOW, 1_000, false)).isEqualTo(second);
    assertThat(forEver.expiry(NOW)).isEqualTo(FamilyRetention.NEVER);
    assertThat(forEver.isLimited()).isTrue();
    assertThat(new FamilyRetention(1, 0, 0).expiry(NOW, 1_000, false))
        .as("where it does not count")
        .isEqualTo(FamilyRetention.NEVER);
    assertThat(forEver.expiry(NOW, FamilyRetention.LONGEST_CELL_LIFETIME_MILLIS, false))
        .isEqualTo(FamilyRetention.NEVER);
    assertThat(NOW + FamilyRetention.LONGEST_CELL_LIFETIME_MILLIS)
        .as("as HBase adds them")
        .isPositive();
  }

  @Test
  void aFamilyThatShowsNothingIsRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> new FamilyRetention(0, 0, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> new FamilyRetention(1, -1, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> new FamilyRetention(1, 0, -1));
  }
}
