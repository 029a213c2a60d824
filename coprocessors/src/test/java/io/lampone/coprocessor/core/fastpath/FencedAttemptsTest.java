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
    fencedAttempts.add("alice", ID, By.REPETITION);
    assertThat(fencedAttempts.forbids(ID, false)).isTrue();
    assertThat(fencedAttempts.forbids(ID, true)).isFalse();
    fencedAttempts.add("alice", ID, By.LOOKUP);
    fencedAttempts.add("alice", ID, By.REPETITION);
    assertThat(fencedAttempts.forbids(ID, true)).isTrue();
    assertThat(fencedAttempts.forbids(OTHER, false)).isFalse();
  }

  @Test
  void whatIsRememberedLastsAtLeastALifetimeAndAtMostTwo() {
    pass(FencedAttempts.LIFETIME.toNanos() - 1);
    fencedAttempts.add("alice", ID, By.LOOKUP);
    pass(1);
    pass(FencedAttempts.LIFETIME.toNanos() - 1);
    assertThat(fencedAttempts.forbids(ID, true)).isTrue();
    pass(1);
    assertThat(fencedAttempts.forbids(ID, true)).isFalse();
  }

  @Test
  void whatIsAddedAgainLastsAnew() {
    fencedAttempts.add("alice", ID, By.LOOKUP);
    pass(FencedAttempts.LIFETIME.toNanos());
    fencedAttempts.add("alice", ID, By.REPETITION);
    pass(FencedAttempts.LIFETIME.toNanos());
    assertThat(fencedAttempts.forbids(ID, true)).isTrue();
  }

  @Test
  void aFullMemorySaysSoForgetsNothingAndBecomesUsableAgain() {
    for (int i = 0; i < FencedAttempts.MAX_OPERATIONS; i++) {
      assertThat(fencedAttempts.add("user" + i, new OperationId(2, i), By.LOOKUP)).isTrue();
    }
    assertThat(fencedAttempts.add("alice", ID, By.LOOKUP)).isFalse();
    for (int i = 0; i < FencedAttempts.MAX_OPERATIONS; i++) {
      assertThat(fencedAttempts.forbids(new OperationId(2, i), true)).isTrue();
    }
    // What is known already takes no room.
    assertThat(fencedAttempts.add("alice", new OperationId(2, 0), By.REPETITION)).isTrue();
    pass(FencedAttempts.LIFETIME.toNanos());
    pass(FencedAttempts.LIFETIME.toNanos());
    assertThat(fencedAttempts.add("alice", ID, By.LOOKUP)).isTrue();
  }

  /** Ids cost their inventor nothing: one user could switch off retries for all the others. */
  @Test
  void aUserGetsNoMoreThanIsLeftForOthers_andHasItAgainOnceEntriesAreOld() {
    int half = FencedAttempts.MAX_OPERATIONS / 2;
    assertThat(added("mallory", 2)).isEqualTo(half);
    assertThat(added("alice", 3)).isEqualTo(half / 2);
    pass(FencedAttempts.LIFETIME.toNanos());
    assertThat(fencedAttempts.add("mallory", OTHER, By.LOOKUP)).isFalse();
    // Another's request for it does not move it to another share.
    assertThat(fencedAttempts.add("bob", new OperationId(2, 0), By.REPETITION)).isTrue();
    pass(FencedAttempts.LIFETIME.toNanos());
    assertThat(added("mallory", 4)).isEqualTo(half - 1);
  }

  /** Returns the number of operations that were remembered before the first refusal. */
  private int added(String user, long session) {
    int count = 0;
    while (fencedAttempts.add(user, new OperationId(session, count), By.LOOKUP)) {
      count++;
    }
    return count;
  }

  private void pass(long time) {
    nanos.addAndGet(time);
    fencedAttempts.age();
  }
}
