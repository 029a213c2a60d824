package io.lampone.coprocessor.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.coprocessor.core.SupersededOperations.By;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.time.Clock;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class SupersededOperationsTest {

  private static final OperationId ID = new OperationId(1, 1);
  private static final OperationId OTHER = new OperationId(1, 2);

  private final AtomicLong nanos = new AtomicLong(-7);

  private final SupersededOperations superseded =
      new SupersededOperations(
          new Clock() {
            @Override
            public long wallMillis() {
              throw new UnsupportedOperationException();
            }

            @Override
            public long monotonicNanos() {
              return nanos.get();
            }
          });

  @Test
  void aRepetitionForbidsFirstAttemptsAndALookupForbidsAll() {
    assertThat(superseded.forbids(ID, false)).isFalse();
    superseded.add(ID, By.REPETITION);
    assertThat(superseded.forbids(ID, false)).isTrue();
    assertThat(superseded.forbids(ID, true)).isFalse();
    superseded.add(ID, By.LOOKUP);
    superseded.add(ID, By.REPETITION);
    assertThat(superseded.forbids(ID, true)).isTrue();
    assertThat(superseded.forbids(OTHER, false)).isFalse();
  }

  @Test
  void whatIsRememberedLastsAtLeastALifetimeAndAtMostTwo() {
    pass(SupersededOperations.LIFETIME.toNanos() - 1);
    superseded.add(ID, By.LOOKUP);
    pass(1);
    pass(SupersededOperations.LIFETIME.toNanos() - 1);
    assertThat(superseded.forbids(ID, true)).isTrue();
    pass(1);
    assertThat(superseded.forbids(ID, true)).isFalse();
  }

  @Test
  void whatIsAddedAgainLastsAnew() {
    superseded.add(ID, By.LOOKUP);
    pass(SupersededOperations.LIFETIME.toNanos());
    superseded.add(ID, By.REPETITION);
    pass(SupersededOperations.LIFETIME.toNanos());
    assertThat(superseded.forbids(ID, true)).isTrue();
  }

  @Test
  void aFullMemorySaysSoForgetsNothingAndBecomesUsableAgain() {
    for (int i = 0; i < SupersededOperations.MAX_OPERATIONS; i++) {
      assertThat(superseded.add(new OperationId(2, i), By.LOOKUP)).isTrue();
    }
    assertThat(superseded.add(ID, By.LOOKUP)).isFalse();
    for (int i = 0; i < SupersededOperations.MAX_OPERATIONS; i++) {
      assertThat(superseded.forbids(new OperationId(2, i), true)).isTrue();
    }
    // What is known already takes no room.
    assertThat(superseded.add(new OperationId(2, 0), By.REPETITION)).isTrue();
    pass(SupersededOperations.LIFETIME.toNanos());
    pass(SupersededOperations.LIFETIME.toNanos());
    assertThat(superseded.add(ID, By.LOOKUP)).isTrue();
  }

  private void pass(long time) {
    nanos.addAndGet(time);
    superseded.age();
  }
}
