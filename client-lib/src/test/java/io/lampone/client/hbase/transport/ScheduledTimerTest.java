package io.lampone.client.hbase.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.core.failure.IllegalUseException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class ScheduledTimerTest {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final ScheduledTimer timer = new ScheduledTimer();

  @Test
  void whatWaitsWhenTheTimerIsClosedFails() {
    CompletableFuture<Void> wait = timer.after(Duration.ofHours(1));
    timer.close();
    assertFails(wait);
  }

  @Test
  void aWaitThatBeginsAfterTheTimerWasClosedFails() {
    timer.close();
    assertFails(timer.after(Duration.ZERO));
  }

  /** It may hold a lock that what goes on needs. */
  @Test
  void whoClosesTheTimerDoesNotDoWhatWaitedForIt() {
    CompletableFuture<Thread> after =
        timer.after(Duration.ofHours(1)).handle((done, failure) -> Thread.currentThread());
    timer.close();
    assertThat(after)
        .succeedsWithin(PATIENCE)
        .isNotSameAs(Thread.currentThread())
        .matches(Thread::isDaemon);
  }

  @Test
  void whatIsOverInTimeDoesNotFail() {
    CompletableFuture<Void> wait = timer.after(Duration.ofMillis(1));
    assertThat(wait).succeedsWithin(PATIENCE);
    timer.close();
    assertThat(wait).isCompleted();
  }

  private static void assertFails(CompletableFuture<Void> wait) {
    assertThat(wait)
        .failsWithin(PATIENCE)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(IllegalUseException.class)
        .withMessageContaining("the client has been closed");
  }
}
