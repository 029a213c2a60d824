package io.lampone.tm.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Checks that the benchmarks of this package measure their subjects. */
class BenchmarkSubjectsTest {

  private static final int KEYS = 1 << 12;

  @Test
  void transactionsOfTheFrameBenchmarkPass() {
    FrameBenchmark benchmark = new FrameBenchmark();
    benchmark.keys = KEYS;
    benchmark.begin();
    assertThat(benchmark.allPass()).isTrue();
    benchmark.pairs();
    assertThat(benchmark.allPass()).isTrue();
  }

  @Test
  void theSizeOfTheTableIsPrinted() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int keys = 1 << 20; // so that what else is freed meanwhile hardly counts
    ConflictTableSize.run(keys, new PrintStream(bytes, true, StandardCharsets.UTF_8));
    String line = bytes.toString(StandardCharsets.UTF_8);
    assertThat(line).contains("keys=" + keys).contains("lowWatermark=0");
    // The key itself has 8 bytes.
    double bytesPerKey =
        Double.parseDouble(line.replaceFirst("(?s).*bytesPerKey=([0-9.]+).*", "$1"));
    assertThat(bytesPerKey).isBetween(8.0, 64.0);
  }
}
