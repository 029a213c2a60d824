package io.lampone.tm.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Traps D7 and D9. */
final class ConflictTableTest {

  @Test
  void whateverItForgetsLiesAtOrBelowTheWatermark() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 50; round++) {
      int capacity = 1 + random.nextInt(64);
      int hashes = 1 + random.nextInt(200);
      ConflictTable table = new ConflictTable(capacity);
      Map<Long, Long> exact = new HashMap<>();
      long timestamp = 0;
      for (int i = 0; i < 2_000; i++) {
        // Equal timestamps, too: a transaction records many hashes.
        timestamp += random.nextInt(2) * 256L;
        long hash = random.nextInt(hashes) * 0x9e3779b97f4a7c15L;
        table.record(hash, timestamp);
        exact.put(hash, timestamp);
        long probe = random.nextInt(hashes) * 0x9e3779b97f4a7c15L;
        long expected = exact.getOrDefault(probe, ConflictTable.NEVER);
        long found = table.lastCommit(probe);
        assertThat(
                found == expected
                    || found == ConflictTable.NEVER && expected <= table.lowWatermark())
            .as("seed=%d found=%d expected=%d", seed, found, expected)
            .isTrue();
      }
    }
  }

  @Test
  void forgetsNothingBeforeItIsFull() {
    ConflictTable table = new ConflictTable(1000);
    for (int i = 0; i < 1000; i++) {
      table.record(i, 256L * (i + 1));
    }
    assertThat(table.lowWatermark()).isZero();
    for (int i = 0; i < 1000; i++) {
      assertThat(table.lastCommit(i)).isEqualTo(256L * (i + 1));
    }
    table.record(5000, 256L * 1001);
    assertThat(table.lowWatermark()).isEqualTo(256);
    assertThat(table.lastCommit(0)).isEqualTo(ConflictTable.NEVER);
  }

  @Test
  void extremeHashesAreOrdinaryValues() {
    ConflictTable table = new ConflictTable(8);
    long[] extremes = {0, -1, 1, Long.MIN_VALUE, Long.MAX_VALUE};
    long timestamp = 256;
    for (long hash : extremes) {
      assertThat(table.lastCommit(hash)).isEqualTo(ConflictTable.NEVER);
      table.record(hash, timestamp);
      table.record(hash, timestamp);
      assertThat(table.lastCommit(hash)).isEqualTo(timestamp);
      timestamp += 256;
    }
  }

  @Test
  void aCommitTimestampThatGoesBackIsNoticed() {
    ConflictTable table = new ConflictTable(8);
    table.record(1, 512);
    assertThatThrownBy(() -> table.record(2, 256)).isInstanceOf(InvariantViolatedException.class);
  }
}
