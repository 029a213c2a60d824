package io.lampone.tm.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.tm.Validator.Validation;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Finding R6. */
final class DecisionMemoryTest {

  @Test
  void whateverItForgetsLiesAtOrBelowTheHorizon() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 50; round++) {
      DecisionMemory memory = new DecisionMemory(1 + random.nextInt(32));
      Map<Long, Validation> exact = new HashMap<>();
      for (int i = 0; i < 500; i++) {
        long start = 256L * random.nextInt(5_000);
        if (exact.containsKey(start)) {
          continue;
        }
        if (random.nextBoolean()) {
          memory.recordPassed(start, start + 256);
          exact.put(start, new Validation.Passed(start + 256));
        } else {
          Validation.Conflict conflict = new Validation.Conflict(random.nextInt(9), start + 512);
          memory.recordConflict(start, conflict);
          exact.put(start, conflict);
        }
        for (Map.Entry<Long, Validation> entry : exact.entrySet()) {
          var found = memory.find(entry.getKey());
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
    DecisionMemory memory = new DecisionMemory(2);
    memory.recordPassed(9 * 256, 10 * 256);
    memory.recordPassed(1 * 256, 11 * 256);
    memory.recordPassed(2 * 256, 12 * 256);
    assertThat(memory.find(9 * 256)).isEmpty();
    assertThat(memory.horizon()).isEqualTo(9 * 256);
    assertThat(memory.find(1 * 256)).contains(new Validation.Passed(11 * 256));
  }

  @Test
  void decidingTwiceIsNoticed() {
    DecisionMemory memory = new DecisionMemory(2);
    memory.recordPassed(256, 512);
    assertThatThrownBy(() -> memory.recordPassed(256, 768))
        .isInstanceOf(InvariantViolatedException.class);
    assertThat(memory.find(256)).contains(new Validation.Passed(512));
  }
}
