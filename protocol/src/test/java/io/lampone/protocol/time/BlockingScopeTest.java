package io.lampone.protocol.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class BlockingScopeTest {

  private static final long LONG = TimeUnit.SECONDS.toNanos(20);

  private final BlockingScope waiting = new BlockingScope();

  @Test
  void thePermissionIsTheThreadsAndEndsWithTheStep() {
    assertThat(waiting.deadlineNanos()).isEmpty();
    OptionalLong elsewhere =
        waiting.waitingHere(
            7,
            () -> {
              assertThat(waiting.deadlineNanos()).hasValue(7);
              waiting.waitingHere(5, () -> assertThat(waiting.deadlineNanos()).hasValue(5));
              assertThat(waiting.deadlineNanos()).hasValue(7);
              return CompletableFuture.supplyAsync(waiting::deadlineNanos).join();
            });
    assertThat(elsewhere).isEmpty();
    assertThat(waiting.deadlineNanos()).isEmpty();
    assertThatThrownBy(
            () ->
                waiting.waitingHere(
                    7,
                    () -> {
                      throw new IllegalStateException("of the step");
                    }))
        .hasMessage("of the step");
    assertThat(waiting.deadlineNanos()).isEmpty();
  }

  @Test
  void whatIsBroughtGoesOnWhereSomebodyWaits() throws Exception {
    CompletableFuture<String> io = new CompletableFuture<>();
    List<Object> seen = new ArrayList<>();

    String end =
        waiting.await(
            7,
            LONG,
            () -> {
              CompletableFuture<String> chained =
                  waiting
                      .bring(io)
                      .thenApply(
                          value -> {
                            seen.add(Thread.currentThread());
                            seen.add(waiting.deadlineNanos());
                            return value + "!";
                          });
              CompletableFuture.runAsync(() -> io.complete("done"));
              return chained;
            });

    assertThat(end).isEqualTo("done!");
    assertThat(seen).containsExactly(Thread.currentThread(), OptionalLong.of(7));
    assertThat(waiting.deadlineNanos()).isEmpty();
  }

  @Test
  void oneThingAfterTheOtherCanBeBrought() throws Exception {
    List<Thread> seen = new ArrayList<>();

    waiting.await(
        7,
        LONG,
        () ->
            waiting
                .bring(CompletableFuture.runAsync(() -> sleep(10)))
                .thenCompose(
                    first -> {
                      seen.add(Thread.currentThread());
                      return waiting.bring(CompletableFuture.runAsync(() -> sleep(10)));
                    })
                .thenRun(() -> seen.add(Thread.currentThread())));

    assertThat(seen).containsExactly(Thread.currentThread(), Thread.currentThread());
  }

  @Test
  void whereNobodyWaitsItIsTheSameFuture() {
    CompletableFuture<Void> future = new CompletableFuture<>();
    assertThat(waiting.bring(future)).isSameAs(future);
    assertThat(waiting.<CompletableFuture<Void>>waitingHere(7, () -> waiting.bring(future)))
        .isSameAs(future);
  }

  @Test
  void failuresAreToldAsOfAnyFuture() {
    assertThatThrownBy(
            () ->
                waiting.await(
                    7, LONG, () -> CompletableFuture.failedFuture(new IllegalStateException("no"))))
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("no");
    CompletableFuture<Void> later = new CompletableFuture<>();
    assertThatThrownBy(
            () ->
                waiting.await(
                    7,
                    LONG,
                    () -> {
                      CompletableFuture.runAsync(
                          () -> later.completeExceptionally(new IllegalStateException("late")));
                      return waiting.bring(later);
                    }))
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("late");
  }

  @Test
  void theTimeThatTheStepTakesIsPartOfTheWait() {
    CompletableFuture<Void> late = new CompletableFuture<>();
    assertThatThrownBy(
            () ->
                waiting.await(
                    7,
                    TimeUnit.MILLISECONDS.toNanos(300),
                    () -> {
                      sleep(301);
                      CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS)
                          .execute(() -> late.complete(null));
                      return late;
                    }))
        .isInstanceOf(TimeoutException.class);
  }

  /** Somebody has to go on with it: it may be a commit. */
  @Test
  void whatComesAfterTheWaitingIsDoneByOthers() {
    CompletableFuture<Void> io = new CompletableFuture<>();
    AtomicReference<Thread> seen = new AtomicReference<>();
    AtomicReference<OptionalLong> permission = new AtomicReference<>();

    assertThatThrownBy(
            () ->
                waiting.await(
                    7,
                    TimeUnit.MILLISECONDS.toNanos(1),
                    () ->
                        waiting
                            .bring(io)
                            .thenRun(
                                () -> {
                                  seen.set(Thread.currentThread());
                                  permission.set(waiting.deadlineNanos());
                                })))
        .isInstanceOf(TimeoutException.class);
    assertThat(seen).hasNullValue();

    CompletableFuture.runAsync(() -> io.complete(null)).join();
    assertThat(seen.get()).isNotNull().isNotSameAs(Thread.currentThread());
    assertThat(permission.get()).isEmpty();
  }

  @Test
  void whatHasComeWhenTheWaitingEndsIsDoneToo() {
    CompletableFuture<Void> io = new CompletableFuture<>();
    AtomicReference<OptionalLong> permission = new AtomicReference<>();
    Thread.currentThread().interrupt();

    assertThatThrownBy(
            () ->
                waiting.await(
                    7,
                    LONG,
                    () -> {
                      CompletableFuture<Void> never = new CompletableFuture<>();
                      waiting.bring(io).thenRun(() -> permission.set(waiting.deadlineNanos()));
                      CompletableFuture.runAsync(() -> io.complete(null)).join();
                      return never;
                    }))
        .isInstanceOf(InterruptedException.class);
    // Done on the way out or by the loop before it looked at the interrupt: with or without leave.
    assertThat(permission.get()).isNotNull();
  }

  private static void sleep(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
