package io.lampone.tm.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The benchmarks of this package do what they say. */
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
  void hitsAreFoundAndMissesAreNot() {
    ConflictCheckBenchmark benchmark = new ConflictCheckBenchmark();
    benchmark.keys = KEYS;
    benchmark.fill();
    for (int i = 0; i < KEYS; i++) {
      assertThat(benchmark.hit()).isNotEqualTo(ConflictTable.NEVER);
      assertThat(benchmark.miss()).isEqualTo(ConflictTable.NEVER);
    }
  }

  @Test
  void theSizeOfTheTableIsPrinted() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int keys = 1 << 18;
    ConflictTableSize.run(keys, new PrintStream(bytes, true, StandardCharsets.UTF_8));
    String line = bytes.toString(StandardCharsets.UTF_8);
    assertThat(line).contains("keys=" + keys).contains("lowWatermark=0");
    // 16 bytes are what key and timestamp take themselves.
    double bytesPerKey =
        Double.parseDouble(line.replaceFirst("(?s).*bytesPerKey=([0-9.]+).*", "$1"));
    assertThat(bytesPerKey).isBetween(16.0, 64.0);
  }
}
