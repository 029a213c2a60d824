package io.lampone.tm.core.validation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Tag;
import io.lampone.tm.core.oracle.InvariantViolatedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Finding R6. */
final class DecisionCacheTest {

  @Test
  void whateverItForgetsLiesAtOrBelowTheHorizon() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 50; round++) {
      DecisionCache memory = new DecisionCache(1 + random.nextInt(32));
      Map<Long, Validation> exact = new HashMap<>();
      for (int i = 0; i < 500; i++) {
        long start = 256L * random.nextInt(5_000);
        if (exact.containsKey(start)) {
          continue;
        }
        if (random.nextBoolean()) {
          memory.recordPassed(start, start + 256);
          exact.put(start, new Validation.Passed(start + 256, Tag.NONE));
        } else {
          int checkIndex = random.nextInt(9);
          memory.recordConflict(start, checkIndex, start + 512);
          exact.put(start, new Validation.Conflict(checkIndex, start + 512));
        }
        for (Map.Entry<Long, Validation> entry : exact.entrySet()) {
          Optional<Validation> found = find(memory, entry.getKey());
          if (found.isPresent()) {
            assertThat(found).as("seed=%d", seed).contains(entry.getValue());
          } else {
            assertThat(entry.getKey()).as("seed=%d", seed).isLessThanOrEqualTo(memory.horizon());
          }
        }
      }
    }
  }

  @Test
  void theOldestDecisionIsForgottenFirstWhateverItsStartTimestamp() {
    DecisionCache memory = new DecisionCache(2);
    memory.recordPassed(9 * 256, 10 * 256);
    memory.recordPassed(1 * 256, 11 * 256);
    memory.recordPassed(2 * 256, 12 * 256);
    assertThat(find(memory, 9 * 256)).isEmpty();
    assertThat(memory.horizon()).isEqualTo(9 * 256);
    assertThat(find(memory, 1 * 256)).contains(new Validation.Passed(11 * 256, Tag.NONE));
  }

  @Test
  void itKnowsWhetherItRemembersAnAssignedTransaction() {
    DecisionCache memory = new DecisionCache(2);
    memory.recordPassed(256, 512);
    assertThat(memory.remembersAssigned()).isFalse();
    memory.recordAssigned(768, 1024, 5);
    assertThat(memory.assigned(memory.find(768))).isTrue();
    assertThat(memory.passed(memory.find(768))).isFalse();
    assertThat(memory.timestamp(memory.find(768))).isEqualTo(1024);
    memory.recordConflict(1280, 0, 1024);
    assertThat(memory.remembersAssigned()).isTrue();
    memory.recordPassed(1536, 1792);
    assertThat(memory.find(768)).isEqualTo(DecisionCache.NOT_FOUND);
    assertThat(memory.remembersAssigned()).isFalse();
  }

  @Test
  void itKnowsTheAgeOfWhatWasAssignedHere_andCopiesNone() {
    DecisionCache memory = new DecisionCache(2);
    for (long now : new long[] {-1, 0, Integer.MAX_VALUE, Long.MAX_VALUE - 1000}) {
      DecisionCache heir = new DecisionCache(2);
      long start = 256 * (1 + memory.sequence());
      memory.recordAssigned(start, start + 256, now);
      assertThat(memory.assignedMillisAgo(memory.find(start), now)).as("now=%d", now).isZero();
      assertThat(memory.assignedMillisAgo(memory.find(start), now + 999)).isEqualTo(999);
      memory.copy(memory.oldestSequence(), 2, heir::restore);
      assertThat(heir.assigned(heir.find(start))).isTrue();
      assertThat(heir.assignedMillisAgo(heir.find(start), now))
          .isEqualTo(DecisionCache.UNKNOWN_AGE);
    }
  }

  @Test
  void decidingTwiceIsNoticed() {
    DecisionCache memory = new DecisionCache(2);
    memory.recordPassed(256, 512);
    assertThatThrownBy(() -> memory.recordPassed(256, 768))
        .isInstanceOf(InvariantViolatedException.class);
    assertThat(find(memory, 256)).contains(new Validation.Passed(512, Tag.NONE));
  }

  /** What a successor is handed, and finding M13: what has been forgotten, too. */
  @Test
  void aMemoryThatRestoresACopyIsEqualAndStaysEqual() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 100; round++) {
      int capacity = 1 + random.nextInt(30);
      DecisionCache source = new DecisionCache(capacity);
      DecisionCache receiver = new DecisionCache(capacity);
      List<Long> starts = new ArrayList<>();
      for (int i = random.nextInt(80); i > 0; i--) {
        decide(random, starts, source);
      }
      long from = source.oldestSequence();
      while (from < source.sequence()) {
        from = source.copy(from, 1 + random.nextInt(9), receiver::restore);
        if (from > source.oldestSequence() && random.nextInt(3) > 0) {
          decide(random, starts, source);
        }
      }
      receiver.raiseHorizon(source.horizon());
      for (int i = 0; i < 60; i++) {
        assertThat(receiver.horizon()).as("seed=%d", seed).isEqualTo(source.horizon());
        for (long start : starts) {
          assertThat(find(receiver, start)).as("seed=%d", seed).isEqualTo(find(source, start));
        }
        decide(random, starts, source, receiver);
      }
    }
  }

  @Test
  void onlyWhatIsThereCanBeCopied() {
    DecisionCache memory = new DecisionCache(2);
    memory.recordPassed(256, 512);
    memory.recordPassed(768, 1024);
    memory.recordPassed(1280, 1536);
    assertThat(memory.oldestSequence()).isEqualTo(1);
    assertThat(memory.copy(3, 10, (start, timestamp, checkIndex) -> {})).isEqualTo(3);
    assertThatThrownBy(() -> memory.copy(0, 10, (start, timestamp, checkIndex) -> {}))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> memory.copy(4, 10, (start, timestamp, checkIndex) -> {}))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** Decides on a transaction that no one has decided on, in each memory the same. */
  private static void decide(Random random, List<Long> starts, DecisionCache... memories) {
    long start = 256L * random.nextInt(1_000_000);
    if (starts.contains(start)) {
      return;
    }
    starts.add(start);
    int checkIndex = random.nextInt(3) - 1;
    for (DecisionCache memory : memories) {
      memory.restore(start, start + 256, checkIndex);
    }
  }

  private static Optional<Validation> find(DecisionCache memory, long start) {
    int place = memory.find(start);
    if (place == DecisionCache.NOT_FOUND) {
      return Optional.empty();
    }
    return Optional.of(
        memory.passed(place)
            ? new Validation.Passed(memory.timestamp(place), Tag.NONE)
            : new Validation.Conflict(memory.checkIndex(place), memory.timestamp(place)));
  }
}
