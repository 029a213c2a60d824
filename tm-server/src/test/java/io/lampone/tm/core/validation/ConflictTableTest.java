package io.lampone.tm.core.validation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.lampone.protocol.Timestamps;
import io.lampone.tm.core.oracle.InvariantViolatedException;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
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

  /** Marks far apart and close together, tables smaller and larger than from one to the next. */
  @Test
  void whatIsNotLookedAtBecauseOfItsAgeIsNoConflict() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int skipped = 0;
    for (int round = 0; round < 200; round++) {
      int hashes = 1 + random.nextInt(100);
      ConflictTable table = new ConflictTable(1 + random.nextInt(100), random.nextInt(6));
      long timestamp = 256;
      assertThat(table.firstThatMayBeAfter(timestamp)).isZero();
      for (int i = 0; i < 500; i++) {
        timestamp += random.nextInt(3) * 256L;
        table.record(random.nextInt(hashes), timestamp);
        // Equal to a commit timestamp now and then: that commit is no conflict.
        long start = timestamp - random.nextInt(100) * 256L;
        long since = table.firstThatMayBeAfter(start);
        for (int hash = 0; hash < hashes; hash++) {
          long last = table.lastCommit(hash);
          long found = table.lastCommitSince(hash, since);
          skipped += found == last ? 0 : 1;
          assertThat(found > start ? found : ConflictTable.NEVER)
              .as("seed=%d hash=%d start=%d since=%d", seed, hash, start, since)
              .isEqualTo(last > start ? last : ConflictTable.NEVER);
        }
      }
    }
    assertThat(skipped).isPositive();
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

  /** Every entry in its own 18 minutes, or many in the same, and years in between. */
  @Test
  void timestampsFarApartAreRememberedExactly() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 50; round++) {
      int capacity = 1 + random.nextInt(200);
      ConflictTable table = new ConflictTable(capacity);
      Map<Long, Long> exact = new HashMap<>();
      long timestamp = Timestamps.PLAIN_LIMIT;
      for (int i = 0; i < 2_000; i++) {
        timestamp += Timestamps.tick(random.nextLong() >>> 10 + random.nextInt(54));
        long hash = random.nextInt(300);
        table.record(hash, timestamp);
        exact.put(hash, timestamp);
        if (exact.getOrDefault((long) i % 300, 0L) > table.lowWatermark()) {
          assertThat(table.lastCommit(i % 300))
              .as("seed=%d", seed)
              .isEqualTo(exact.get((long) i % 300));
        }
        if (timestamp > Timestamps.MAX / 2) {
          break;
        }
      }
    }
  }

  @Test
  void aTimestampThatIsNoTickIsNoticed() {
    ConflictTable table = new ConflictTable(8);
    assertThatThrownBy(() -> table.record(1, 513)).isInstanceOf(InvariantViolatedException.class);
  }

  /** The size that the documentation promises, index included, and none that comes later. */
  @Test
  void tenMillionHashesTakeLessThanTwentyBytesEach() {
    int capacity = 10_000_000;
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    ConflictTable table = new ConflictTable(capacity);
    SplittableRandom random = new SplittableRandom(1);
    for (long i = 0; i < capacity + 1_000_000; i++) {
      table.record(random.nextLong(), i << 8);
    }
    long bytes = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat((double) bytes / capacity).isBetween(12.0, 20.0);
    assertThat(table.lowWatermark()).isEqualTo(999_999L << 8);
  }
}
