package io.lampone.faultlab.work.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.faultlab.work.ClientTally;
import io.lampone.faultlab.work.WorkloadKind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Tests that a thread of a client never ends unseen. */
class WorkThreadTest {

  private final CountDownLatch stop = new CountDownLatch(1);
  private final ClientTally tally = new ClientTally(List.of(WorkloadKind.BANK));
  private final List<String> violations = new ArrayList<>();

  @Test
  void anErrorIsAViolationAndTheThreadIsMissing() {
    work(
        () -> {
          throw new AssertionError("impossible");
        });
    assertThat(violations).singleElement().asString().contains("impossible");
    assertThat(tally.take().lostThreads()).isEqualTo(1);
  }

  @Test
  void aThreadWhoseViolationCannotBeWrittenIsMissingAllTheSame() {
    Runnable failing =
        () -> {
          throw new IllegalStateException("a bug");
        };
    WorkThread thread =
        new WorkThread(
            stop,
            () -> 1,
            failing,
            text -> {
              throw new OutOfMemoryError(text);
            },
            tally);
    try {
      thread.run();
    } catch (OutOfMemoryError expected) {
      assertThat(expected).hasMessageContaining("a bug");
    }
    assertThat(tally.take().lostThreads()).isEqualTo(1);
  }

  @Test
  void oneThatWasAskedToStopIsNotMissing() {
    work(stop::countDown);
    assertThat(violations).isEmpty();
    ClientStatus status = tally.take();
    assertThat(status.lostThreads()).isZero();
    tally.lostThread();
    assertThat(ClientStatus.parse(tally.take().plus(status).toString()).lostThreads()).isEqualTo(1);
  }

  private void work(Runnable step) {
    new WorkThread(stop, () -> 1, step, violations::add, tally).run();
  }
}
