package io.lampone.client.core.certify;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.core.TransactionManagerPort;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.Driver;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Reason;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Tag;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Repetitions of a validation while its certification takes long. */
class ProlongationTest {

  private static final long START = Timestamps.PLAIN_LIMIT;
  private static final Duration CERTIFICATION = Duration.ofMinutes(1);
  private static final Validation ASSIGNED = new Validation.Assigned(START + 256, Tag.NONE);

  private final Deque<Validation> answers = new ArrayDeque<>();
  private int repetitions;

  @Test
  void itGoesOnWhereTheMapOfBucketsHasChanged() {
    answers.addAll(List.of(ASSIGNED, refused(Reason.MOVED), ASSIGNED, refused(Reason.FORGOTTEN)));
    certify();
    assertThat(repetitions).isEqualTo(4);
  }

  @Test
  void itEndsWithAnyOtherAnswer() {
    answers.addAll(List.of(ASSIGNED, refused(Reason.FORGOTTEN), ASSIGNED));
    certify();
    assertThat(repetitions).isEqualTo(2);
  }

  private static Validation refused(Reason reason) {
    return new Validation.Refused(reason, 0);
  }

  /** Certifies for longer than there are repetitions. */
  private void certify() {
    CompletableFuture<Void> certification = new CompletableFuture<>();
    Deque<CompletableFuture<Void>> pauses = new ArrayDeque<>();
    Driver driver =
        new Driver(
            delay -> {
              if (delay.equals(CERTIFICATION)) {
                return certification;
              }
              pauses.add(new CompletableFuture<>());
              return pauses.getLast();
            },
            SystemClock.INSTANCE);
    CompletableFuture<String> certified =
        driver.start(
            new Prolongation(new Manager(), request())
                .during(Step.pause(CERTIFICATION).then(waited -> Step.done("done"))));
    while (!pauses.isEmpty()) {
      pauses.removeFirst().complete(null);
    }
    certification.complete(null);
    assertThat(certified).isCompletedWithValue("done");
  }

  private static Validator.Request request() {
    return new Validator.Request(
        START, new Grant(START, 1, Tag.NONE), true, new long[0], new long[0], true);
  }

  private final class Manager implements TransactionManagerPort {

    @Override
    public Step<Begin> begin() {
      return Step.failed(new AssertionError());
    }

    @Override
    public Step<Validation> validate(Validator.Request request) {
      repetitions++;
      return answers.isEmpty() ? Step.failed(new AssertionError()) : Step.done(answers.remove());
    }

    @Override
    public Step<Status> status(long startTimestamp, long snapshot) {
      return Step.failed(new AssertionError());
    }
  }
}
