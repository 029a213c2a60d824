package io.lampone.client.hbase.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class FuturesTest {

  @Test
  void goesOnAtOnceWhereTheValueIsThere() {
    CompletableFuture<String> next = new CompletableFuture<>();
    assertThat(Futures.then(CompletableFuture.completedFuture(1), one -> next)).isSameAs(next);
  }

  @Test
  void waitsForAValueThatIsNotThereYet() {
    CompletableFuture<Integer> first = new CompletableFuture<>();
    CompletableFuture<String> end =
        Futures.then(first, one -> CompletableFuture.completedFuture("got " + one));
    assertThat(end).isNotDone();
    first.complete(1);
    assertThat(end).isCompletedWithValue("got 1");
  }

  @Test
  void doesNotGoOnAfterAFailure() {
    CompletableFuture<Integer> failed =
        CompletableFuture.failedFuture(new IllegalStateException("no"));
    CompletableFuture<String> end =
        Futures.then(
            failed,
            one -> {
              throw new AssertionError("went on");
            });
    assertThat(end)
        .isCompletedExceptionally()
        .failsWithin(java.time.Duration.ZERO)
        .withThrowableOfType(java.util.concurrent.ExecutionException.class)
        .withCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  void whatIsThrownBeforeAnythingIsUnderWayIsAFailureOfTheCall() {
    CompletableFuture<String> end =
        Futures.calling(
            () ->
                Futures.then(
                    CompletableFuture.completedFuture(1),
                    one -> {
                      throw new IllegalArgumentException("bad");
                    }));
    assertThat(end).isCompletedExceptionally();
    assertThatThrownBy(end::join).hasCauseInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anErrorIsAFailureOfTheCallToo() {
    CompletableFuture<String> end =
        Futures.calling(
            () -> {
              throw new StackOverflowError();
            });
    assertThat(end).isCompletedExceptionally();
    assertThatThrownBy(end::join).hasCauseInstanceOf(StackOverflowError.class);
  }
}
