package io.lampone.coprocessor.core.fastpath;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.coprocessor.core.fastpath.FencedAttempts.By;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.time.Clock;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class FencedAttemptsTest {

  private static final OperationId ID = new OperationId(1, 1);
  private static final OperationId OTHER = new OperationId(1, 2);

  private final AtomicLong nanos = new AtomicLong(-7);

  private final FencedAttempts fencedAttempts =
      new FencedAttempts(
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
    assertThat(fencedAttempts.forbids(ID, false)).isFalse();
    fencedAttempts.add(ID, By.REPETITION);
    assertThat(fencedAttempts.forbids(ID, false)).isTrue();
    assertThat(fencedAttempts.forbids(ID, true)).isFalse();
    fencedAttempts.add(ID, By.LOOKUP);
    fencedAttempts.add(ID, By.REPETITION);
    assertThat(fencedAttempts.forbids(ID, true)).isTrue();
    assertThat(fencedAttempts.forbids(OTHER, false)).isFalse();
  }

  @Test
  void whatIsRememberedLastsAtLeastALifetimeAndAtMostTwo() {
    pass(FencedAttempts.LIFETIME.toNanos() - 1);
    fencedAttempts.add(ID, By.LOOKUP);
    pass(1);
    pass(FencedAttempts.LIFETIME.toNanos() - 1);
    assertThat(fencedAttempts.forbids(ID, true)).isTrue();
    pass(1);
    assertThat(fencedAttempts.forbids(ID, true)).isFalse();
  }

  @Test
  void whatIsAddedAgainLastsAnew() {
    fencedAttempts.add(ID, By.LOOKUP);
    pass(FencedAttempts.LIFETIME.toNanos());
    fencedAttempts.add(ID, By.REPETITION);
    pass(FencedAttempts.LIFETIME.toNanos());
    assertThat(fencedAttempts.forbids(ID, true)).isTrue();
  }

  @Test
  void aFullMemorySaysSoForgetsNothingAndBecomesUsableAgain() {
    for (int i = 0; i < FencedAttempts.MAX_OPERATIONS; i++) {
      assertThat(fencedAttempts.add(new OperationId(2, i), By.LOOKUP)).isTrue();
    }
    assertThat(fencedAttempts.add(ID, By.LOOKUP)).isFalse();
    for (int i = 0; i < FencedAttempts.MAX_OPERATIONS; i++) {
      assertThat(fencedAttempts.forbids(new OperationId(2, i), true)).isTrue();
    }
    // What is known already takes no room.
    assertThat(fencedAttempts.add(new OperationId(2, 0), By.REPETITION)).isTrue();
    pass(FencedAttempts.LIFETIME.toNanos());
    pass(FencedAttempts.LIFETIME.toNanos());
    assertThat(fencedAttempts.add(ID, By.LOOKUP)).isTrue();
  }

  private void pass(long time) {
    nanos.addAndGet(time);
    fencedAttempts.age();
  }
}
