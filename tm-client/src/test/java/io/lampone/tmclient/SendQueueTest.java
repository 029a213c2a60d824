package io.lampone.tmclient;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.wire.Priority;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SendQueueTest {

  private static final long LATE = SendQueue.LONGEST_PASSED_OVER.toNanos() + 1;

  private final SendQueue queue = new SendQueue();

  @Test
  void batchWaitsBehindDefaultAndBothBehindSystemAndNoFrameMixesThem() {
    Call<?> batch = add(0, Priority.BATCH);
    Call<?> first = add(1, Priority.DEFAULT);
    Call<?> system = add(2, Priority.SYSTEM);
    Call<?> second = add(3, Priority.DEFAULT);
    assertThat(take(4)).containsExactly(system);
    assertThat(take(4)).containsExactly(first, second);
    assertThat(take(4)).containsExactly(batch);
    assertThat(queue.isEmpty()).isTrue();
  }

  @Test
  void whoWasPassedOverForLongGoesFirstAndAmongThoseTheOldest() {
    Call<?> batch = add(0, Priority.BATCH);
    Call<?> system = add(1, Priority.SYSTEM);
    Call<?> other = add(2, Priority.DEFAULT);
    assertThat(take(LATE)).containsExactly(batch);
    assertThat(take(LATE + 10)).containsExactly(system);
    assertThat(take(LATE + 10)).containsExactly(other);
  }

  /** Else a poisonous request that calls itself urgent would end each connection at once. */
  @Test
  void whatMayEndConnectionsGoesAfterAllOthersHoweverUrgent() {
    Call<?> suspect = new Call.Begin(0, Priority.SYSTEM);
    suspect.abandoned(true);
    suspect.abandoned(true);
    queue.addFirst(suspect);
    Call<?> batch = add(LATE, Priority.BATCH);
    assertThat(take(2 * LATE)).containsExactly(batch);
    assertThat(take(2 * LATE)).containsExactly(suspect);
  }

  @Test
  void aSuspectHasItsTurnThoughOthersComeForEver() {
    Call<?> suspect = new Call.Begin(0, Priority.DEFAULT);
    suspect.abandoned(true);
    suspect.abandoned(true);
    queue.add(suspect);
    for (int i = 0; i < SendQueue.FRAMES_BEFORE_A_SUSPECT; i++) {
      Call<?> other = add(LATE, Priority.DEFAULT);
      assertThat(take(LATE)).containsExactly(other);
    }
    add(LATE, Priority.DEFAULT);
    assertThat(take(LATE)).containsExactly(suspect);
  }

  @Test
  void whatIsTooOldIsRemovedFromAllAndTheRestStays() {
    Call<?> old = add(0, Priority.BATCH);
    Call<?> older = add(1, Priority.SYSTEM);
    Call<?> young = add(5, Priority.DEFAULT);
    assertThat(queue.removeAskedBefore(5)).containsExactlyInAnyOrder(old, older);
    assertThat(queue.size()).isEqualTo(1);
    assertThat(queue.removeAll()).containsExactly(young);
    assertThat(queue.size()).isZero();
  }

  private Call<?> add(long askedNanos, Priority priority) {
    Call<?> call = new Call.Begin(askedNanos, priority);
    queue.add(call);
    return call;
  }

  /** What may share the next frame. */
  private List<Call<?>> take(long nowNanos) {
    List<Call<?>> taken = new ArrayList<>();
    SendQueue.Kind kind = queue.next(nowNanos);
    while (!kind.isEmpty()) {
      taken.add(kind.remove());
    }
    return taken;
  }
}
