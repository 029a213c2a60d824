package io.lampone.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MachineCpuTest {

  @Test
  void everythingButIdleTimeIsBusy() {
    assertThat(MachineCpu.busyNanos("cpu  100 20 30 4000 500 6 7 800 9 9\ncpu0 1 2 3 4 5 6 7\n"))
        .isEqualTo(TimeUnit.MILLISECONDS.toNanos(10 * (100 + 20 + 30 + 6 + 7)));
  }
}
