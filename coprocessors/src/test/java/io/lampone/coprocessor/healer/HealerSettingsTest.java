package io.lampone.coprocessor.healer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

final class HealerSettingsTest {

  @Test
  void theDefaultsAreThese() {
    assertThat(HealerSettings.from(new Configuration(false)))
        .isEqualTo(
            new HealerSettings(true, Duration.ofSeconds(10), Duration.ofSeconds(10), 50_000, 500));
  }

  @Test
  void everyPropertyReachesItsPlace() {
    Configuration configuration = new Configuration(false);
    configuration.set("lampone.healer.enabled", "false");
    configuration.set("lampone.healer.period", "2s");
    configuration.set("lampone.healer.delay", "3000");
    configuration.set("lampone.healer.cells.per.second", "4");
    configuration.set("lampone.healer.transactions.per.second", "5");
    assertThat(HealerSettings.from(configuration))
        .isEqualTo(new HealerSettings(false, Duration.ofSeconds(2), Duration.ofSeconds(3), 4, 5));
  }

  @Test
  void aRateOfNothingIsAMistakeThatIsNamed() {
    Configuration configuration = new Configuration(false);
    configuration.set("lampone.healer.cells.per.second", "0");
    assertThatThrownBy(() -> HealerSettings.from(configuration))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("name=lampone.healer.cells.per.second value=0");
  }

  @Test
  void thePaceIsKeptAndIdleTimeIsNotMadeUpFor() {
    long[] now = {-5};
    RateLimiter pace =
        new RateLimiter(
            new Clock() {
              @Override
              public long wallMillis() {
                throw new UnsupportedOperationException("a pace has nothing to do with the date");
              }

              @Override
              public long monotonicNanos() {
                return now[0];
              }
            },
            100);
    long begin = now[0];
    int done = 0;
    while (now[0] - begin < TimeUnit.SECONDS.toNanos(10)) {
      done += 7;
      now[0] += pace.done(7);
    }
    assertThat(done).isBetween(990, 1010);
    now[0] += TimeUnit.HOURS.toNanos(1);
    assertThat(pace.done(100)).isBetween(999_000_000L, 1_000_000_000L);
  }
}
