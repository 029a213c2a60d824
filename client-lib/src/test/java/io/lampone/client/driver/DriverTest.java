package io.lampone.client.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.core.step.Gate;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.time.SystemClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The same machines on futures and on the thread of a caller that waits. */
@Timeout(180)
class DriverTest {

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final List<String> log = new ArrayList<>();
  private final CompletableFuture<Void> timer = new CompletableFuture<>();
  private final Driver driver =
      new Driver(
          length -> {
            log.add("pause " + length.toMillis());
            return timer;
          },
          SystemClock.INSTANCE);

  /** Notes by which way it is sent. */
  private final class Noted implements AsyncRequest<String> {
    private final String name;
    private final CompletableFuture<String> answer;

    Noted(String name, CompletableFuture<String> answer) {
      this.name = name;
      this.answer = answer;
    }

    @Override
    public CompletableFuture<String> start() {
      log.add(name);
      return answer;
    }

    @Override
    public CompletableFuture<String> startHere(long deadlineNanos) {
      log.add(name + " here");
      return answer;
    }
  }

  private Step<String> request(String name) {
    return AsyncRequest.step(new Noted(name, CompletableFuture.completedFuture(name)));
  }

  private Step<String> request(String name, CompletableFuture<String> answer) {
    return AsyncRequest.step(new Noted(name, answer));
  }

  private <T> T await(Step<T> step) throws Exception {
    return driver.await(step, System.nanoTime() + SECOND, 10 * SECOND);
  }

  @Test
  void aThreadThatWaitsSendsEachRequestItself() throws Exception {
    Step<String> both = request("a").then(a -> request("b").map(b -> a + b));
    assertThat(await(both)).isEqualTo("ab");
    assertThat(log).containsExactly("a here", "b here");
  }

  @Test
  void batch_cannotBeSent_eachRequestHasFailed() throws Exception {
    RuntimeException closed = new IllegalStateException("the connection is closed");
    Step<List<Step.Ended<String>>> batch =
        AsyncRequest.batch(
            2,
            () -> {
              throw closed;
            });
    assertThat(await(batch)).extracting(Step.Ended::failure).containsExactly(closed, closed);
  }

  /**
   * Updates of a transaction wait like this for each other, however many the application starts.
   */
  @Test
  void manyMachinesBehindEachOthersGatesNeedNoDeepStack() {
    Gate<Void> first = new Gate<>();
    Gate<Void> before = first;
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      Gate<Void> mine = new Gate<>();
      ends.add(
          driver.start(
              before
                  .passed()
                  .next(ready -> Step.<Void>failed(new IllegalStateException("refused")))
                  .next(
                      event -> {
                        mine.open(Step.done());
                        return event.end();
                      })));
      before = mine;
    }
    first.open(Step.done());
    assertThat(ends).allMatch(CompletableFuture::isCompletedExceptionally);
    assertThat(before.isOpen()).isTrue();
  }

  @Test
  void aMachineThatIsStartedSendsNothingFromTheThreadOfItsCaller() {
    assertThat(driver.start(request("a").then(a -> request("b")))).isCompletedWithValue("b");
    assertThat(log).containsExactly("a", "b");
  }

  @Test
  void ofSeveralMachinesTheThreadThatWaitsSendsForTheLast() throws Exception {
    assertThat(await(Step.all(List.of(request("a"), request("b"), request("c")))))
        .containsExactly("a", "b", "c");
    assertThat(log).containsExactly("a", "b", "c here");
  }

  /** Posted requests are under way together: their replies are read when all have been sent. */
  @Test
  void theFirstRequestsOfTheOthersArePostedAndTheirRepliesAreReadBehindTheLast() throws Exception {
    Step<String> more = posted("a").then(a -> request("after " + a));
    assertThat(await(Step.all(List.of(more, posted("b"), request("c")))))
        .containsExactly("after a", "b", "c");
    assertThat(log)
        .containsExactly("a posted", "b posted", "c here", "a read", "after a here", "b read");
  }

  @Test
  void machinesWithinAMachineArePostedTogetherWithTheOthers() throws Exception {
    Step<String> several =
        Step.all(List.of(posted("a"), posted("b").then(b -> request("after " + b))))
            .map(both -> String.join("+", both));
    assertThat(await(Step.all(List.of(several, posted("c"), request("d")))))
        .containsExactly("a+after b", "c", "d");
    assertThat(log)
        .containsExactly(
            "a posted",
            "b posted",
            "c posted",
            "d here",
            "a read",
            "b read",
            "after b here",
            "c read");
  }

  @Test
  void aPostedRequestWhoseReplyIsLateIsWaitedForElsewhere() throws Exception {
    CompletableFuture<String> late = new CompletableFuture<>();
    Step<String> posted = AsyncRequest.step(new Posted("a", () -> late));
    CompletableFuture<List<String>> all =
        driver.startHere(Step.all(List.of(posted, request("b"))), System.nanoTime() + SECOND);
    assertThat(all).isNotDone();
    late.complete("a");
    assertThat(all).isCompletedWithValue(List.of("a", "b"));
  }

  @Test
  void aPostedRequestThatThrowsFailsAlone() throws Exception {
    IllegalStateException thrown = new IllegalStateException("thrown");
    Step<String> broken =
        AsyncRequest.step(
            new Posted(
                "a",
                () -> {
                  throw thrown;
                }));
    assertThat(await(Step.together(List.of(broken, request("b")))))
        .extracting(Step.Ended::failure)
        .containsExactly(thrown, null);
  }

  private Step<String> posted(String name) {
    return AsyncRequest.step(new Posted(name, () -> CompletableFuture.completedFuture(name)));
  }

  /** Notes when it is posted, and when its reply is read. */
  private final class Posted implements AsyncRequest<String> {
    private final String name;
    private final Supplier<CompletableFuture<String>> reply;

    Posted(String name, Supplier<CompletableFuture<String>> reply) {
      this.name = name;
      this.reply = reply;
    }

    @Override
    public CompletableFuture<String> start() {
      log.add(name);
      return reply.get();
    }

    @Override
    public Optional<Supplier<CompletableFuture<String>>> post(long deadlineNanos) {
      log.add(name + " posted");
      return Optional.of(
          () -> {
            log.add(name + " read");
            return reply.get();
          });
    }
  }

  @Test
  void severalMachinesFailWhenAllHaveEndedWithTheFirstFailure() {
    CompletableFuture<String> last = new CompletableFuture<>();
    CompletableFuture<List<String>> all =
        driver.start(
            Step.all(
                List.of(
                    request("a", CompletableFuture.failedFuture(new IllegalStateException("a"))),
                    request("b", last))));
    assertThat(all).isNotDone();
    last.completeExceptionally(new IllegalStateException("b"));
    assertThat(all).failsWithin(Duration.ZERO).withThrowableThat().withMessageContaining("a");
  }

  @Test
  void whatAMachineThrowsIsItsFailureWithoutAWrapper() {
    IllegalStateException thrown = new IllegalStateException("thrown");
    Step<String> throwing =
        request("a")
            .then(
                a -> {
                  throw thrown;
                });
    assertThatThrownBy(() -> await(throwing))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isSameAs(thrown);
    assertThat(driver.start(throwing.recover(failure -> Step.done(failure == thrown ? "it" : ""))))
        .isCompletedWithValue("it");
  }

  @Test
  void aFailureOfARequestPassesWhatWouldFollowIt() {
    Step<String> failed =
        request("a", CompletableFuture.failedFuture(new IllegalStateException("no")))
            .then(a -> request("b"))
            .map(b -> b + "c")
            .recover(failure -> Step.done(failure.getMessage()));
    assertThat(driver.start(failed)).isCompletedWithValue("no");
    assertThat(log).containsExactly("a");
  }

  @Test
  void aMachineThatWaitsGoesOnWhereTheAnswerArrives() {
    CompletableFuture<String> answer = new CompletableFuture<>();
    CompletableFuture<String> end =
        driver.start(
            request("a", answer)
                .then(a -> Step.pause(Duration.ofMillis(5)))
                .then(waited -> request("b")));
    assertThat(log).containsExactly("a");
    answer.complete("a");
    assertThat(log).containsExactly("a", "pause 5");
    timer.complete(null);
    assertThat(end).isCompletedWithValue("b");
  }

  @Test
  void aMachineForWhichTheCallerStopsWaitingGoesOnByItself() throws Exception {
    CompletableFuture<String> slow = new CompletableFuture<>();
    Step<String> machine = request("a", slow).then(a -> request("b"));
    assertThatThrownBy(() -> driver.await(machine, System.nanoTime() + SECOND, SECOND / 100))
        .isInstanceOf(TimeoutException.class);
    slow.complete("a");
    assertThat(log).as("by no thread that waits").containsExactly("a here", "b");

    log.clear();
    CompletableFuture<String> slower = new CompletableFuture<>();
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> await(request("a", slower).then(a -> request("b"))))
        .isInstanceOf(InterruptedException.class);
    slower.complete("a");
    assertThat(log).containsExactly("a here", "b");
  }

  @Test
  void aForkedMachineStartsWhenTheOutcomeHasBeenTold() {
    CompletableFuture<String> answer = new CompletableFuture<>();
    CompletableFuture<Void> told =
        driver
            .start(request("a", answer).next(event -> Step.fork(request("background"))))
            .thenRun(() -> log.add("told"));
    answer.complete("a");
    assertThat(told).isCompleted();
    assertThat(log).containsExactly("a", "told", "background");
  }

  @Test
  void aForkedMachineDoesNotWaitForAnAnswerToTheOther() {
    CompletableFuture<String> answer = new CompletableFuture<>();
    CompletableFuture<String> end =
        driver.start(Step.fork(request("background")).then(begun -> request("a", answer)));
    assertThat(log).containsExactly("a", "background");
    assertThat(end).isNotDone();
  }

  @Test
  void aGateLetsPassAllThatWaitAndAllThatCome() {
    Gate<String> gate = new Gate<>();
    CompletableFuture<String> before = driver.start(gate.passed());
    assertThat(before).isNotDone();
    gate.open(new Step.Done<>("open"));
    assertThat(before).isCompletedWithValue("open");
    assertThat(driver.start(gate.passed())).isCompletedWithValue("open");
  }

  @Test
  void manyStepsNeedNoDeepStack() throws Exception {
    assertThat(await(countTo(100_000, 0))).isEqualTo(100_000);
    Step<Integer> nested = Step.done(0);
    for (int i = 0; i < 100_000; i++) {
      nested = nested.map(n -> n + 1);
    }
    assertThat(await(nested)).isEqualTo(100_000);
  }

  private Step<Integer> countTo(int end, int from) {
    return from == end ? Step.done(end) : Step.done(from).then(n -> countTo(end, n + 1));
  }
}
