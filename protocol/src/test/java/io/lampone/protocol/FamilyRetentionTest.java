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
  void aFamilyThatShowsNothingIsRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> new FamilyRetention(0, 0, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> new FamilyRetention(1, -1, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> new FamilyRetention(1, 0, -1));
  }
}
