package io.lampone.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.time.Clock;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BackgroundCpuTest {

  private final AtomicLong now = new AtomicLong(1_000);
  private final AtomicLong own = new AtomicLong(200);
  private final AtomicLong busy = new AtomicLong(900);
  private final Clock clock =
      new Clock() {
        @Override
        public long wallMillis() {
          throw new UnsupportedOperationException("no wall clock in a measurement");
        }

        @Override
        public long monotonicNanos() {
          return now.get();
        }
      };

  @Test
  void whatIsBusyAndNotOursIsForeign() {
    BackgroundCpu foreign = new BackgroundCpu(clock, own::get, () -> OptionalLong.of(busy.get()));
    now.addAndGet(100);
    busy.addAndGet(180); // of two processors
    own.addAndGet(30);
    assertThat(foreign.processors()).isEqualTo(1.5);
  }

  @Test
  void theRoughClockOfProcessesMakesItNeverNegative() {
    BackgroundCpu foreign = new BackgroundCpu(clock, own::get, () -> OptionalLong.of(busy.get()));
    now.addAndGet(100);
    own.addAndGet(10);
    assertThat(foreign.processors()).isZero();
  }

  @Test
  void whereNobodyTellsThereIsNone() {
    BackgroundCpu foreign = new BackgroundCpu(clock, own::get, OptionalLong::empty);
    now.addAndGet(100);
    assertThat(foreign.processors()).isZero();
  }
}
