package io.lampone.benchmarks.compare.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class LatencyBySizeTest {

  private final LatencyBySize latencies = new LatencyBySize();

  @Test
  void eachSizeHasAMeanOfItsOwn() {
    latencies.record(1, 1_000);
    latencies.record(1, 3_000);
    latencies.record(10, 50_000);
    assertThat(latencies.meanMicros(1)).hasValue(2);
    assertThat(latencies.meanMicros(10)).hasValue(50);
    assertThat(latencies.meanMicros(2)).isEmpty();
  }

  @Test
  void aMeanOfTwoSlicesIsThatOfAllTheirTransactions() {
    latencies.record(3, 1_000);
    LatencyBySize more = new LatencyBySize();
    more.record(3, 4_000);
    more.record(3, 4_000);
    latencies.add(more);
    assertThat(latencies.meanMicros(3)).hasValue(3);
  }

  @Test
  void itIsTheSameBehindAPipe() {
    latencies.record(1, 1_500);
    latencies.record(7, Long.MAX_VALUE / 2);
    String word = latencies.encode();
    assertThat(word).doesNotContainAnyWhitespaces();
    assertThat(LatencyBySize.decode(word).encode()).isEqualTo(word);
    assertThat(LatencyBySize.decode(word).meanMicros(1)).hasValue(1.5);
  }

  @Test
  void whatIsNoSuchWordIsRefused() {
    assertThatThrownBy(() -> LatencyBySize.decode("1:2"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("sizes=1");
    assertThatThrownBy(() -> LatencyBySize.decode("1,2,3,4,5,6,7,8,9,10"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
