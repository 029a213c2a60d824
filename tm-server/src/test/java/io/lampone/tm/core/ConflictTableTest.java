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

  /** What a successor is handed: superseded entries, too, and what has been forgotten. */
  @Test
  void aTableThatRecordsACopyIsEqualAndStaysEqual() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 100; round++) {
      int capacity = 1 + random.nextInt(64);
      int hashes = 1 + random.nextInt(100);
      ConflictTable source = new ConflictTable(capacity);
      ConflictTable receiver = new ConflictTable(capacity);
      long timestamp = 256;
      for (int i = random.nextInt(200); i > 0; i--) {
        timestamp += random.nextInt(2) * 256L;
        source.record(random.nextInt(hashes), timestamp);
      }
      assertThat(source.sequence() - source.oldestSequence()).isLessThanOrEqualTo(capacity);
      // The source goes on while it is copied, as long as it does not overtake the copy.
      long from = source.oldestSequence();
      while (from < source.sequence()) {
        from = source.copy(from, 1 + random.nextInt(20), receiver::record);
        if (from > source.oldestSequence() && random.nextInt(3) > 0) {
          timestamp += 256;
          source.record(random.nextInt(hashes), timestamp);
        }
      }
      receiver.raiseLowWatermark(source.lowWatermark());
      for (int i = 0; i < 200; i++) {
        assertThat(receiver.lowWatermark()).as("seed=%d", seed).isEqualTo(source.lowWatermark());
        for (int hash = 0; hash < hashes; hash++) {
          assertThat(receiver.lastCommit(hash))
              .as("seed=%d", seed)
              .isEqualTo(source.lastCommit(hash));
        }
        timestamp += 256;
        long hash = random.nextInt(hashes);
        source.record(hash, timestamp);
        receiver.record(hash, timestamp);
      }
    }
  }

  @Test
  void onlyWhatIsThereCanBeCopied() {
    ConflictTable table = new ConflictTable(2);
    table.record(1, 256);
    table.record(2, 512);
    table.record(3, 768);
    assertThat(table.oldestSequence()).isEqualTo(1);
    assertThat(table.copy(3, 10, (hash, commit) -> {})).isEqualTo(3);
    assertThatThrownBy(() -> table.copy(0, 10, (hash, commit) -> {}))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> table.copy(4, 10, (hash, commit) -> {}))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** A receiver that has been told of a higher watermark still throws out what lies below it. */
  @Test
  void theWatermarkMayBeRaisedAboveWhatIsRemembered() {
    ConflictTable table = new ConflictTable(1);
    table.record(1, 256);
    table.raiseLowWatermark(5120);
    table.raiseLowWatermark(1024);
    table.record(2, 512);
    assertThat(table.lowWatermark()).isEqualTo(5120);
    table.record(3, 7680);
    table.record(4, 7936);
    assertThat(table.lowWatermark()).isEqualTo(7680);
  }
}
