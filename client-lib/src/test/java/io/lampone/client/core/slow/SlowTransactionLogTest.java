package io.lampone.client.core.slow;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.ConflictException;
import io.lampone.client.core.CommitOutcome;
import io.lampone.client.core.slow.SlowTransactionLog.Ended;
import io.lampone.client.core.slow.TransactionTrace.Phase;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.Driver;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SlowTransactionLogTest {

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private static final TransactionMetrics OFF = new TransactionMetrics(new HotRows(true), false);

  private final List<String> lines = new ArrayList<>();
  private final SlowTransactionLog log = new SlowTransactionLog(Duration.ofSeconds(2), lines::add);
  private long nanos = 77;

  @Test
  void fastTransactions_areNotWritten() {
    log.ended(log.begin(OFF), committed(), nanos, nanos + 2 * SECOND - 1);
    assertThat(lines).isEmpty();
  }

  @Test
  void slowTransaction_isOneLineOfJson_withItsPhases() {
    TransactionTrace trace = log.begin(OFF);
    measure(trace, Phase.FLUSH, 1_500_000);
    measure(trace, Phase.ONE_REGION, 250_000);
    measure(trace, Phase.FLUSH, 500_000);
    trace.met(3);
    trace.met(4);
    log.ended(trace, committed(), 0, 2 * SECOND);
    assertThat(lines)
        .containsExactly(
            "{\"millis\":2000.000,\"startTimestamp\":512,\"outcome\":\"committed\","
                + "\"commitTimestamp\":768,\"flushMillis\":2.000,\"oneRegionMillis\":0.250,"
                + "\"intentsMet\":7,\"tables\":[\"a\",\"ns:b\"]}");
  }

  @Test
  void failures_areMeasuredToo() {
    TransactionTrace trace = log.begin(OFF);
    CompletableFuture<Void> failed =
        driver()
            .start(
                trace.measure(
                    Phase.VALIDATE,
                    () ->
                        Step.pause(Duration.ofMillis(1))
                            .then(waited -> Step.failed(new IllegalStateException("no")))));
    assertThat(failed).isCompletedExceptionally();
    assertThat(trace.nanos(Phase.VALIDATE)).isEqualTo(1_000_000);
  }

  @Test
  void outcomes_areNamed_andNoRowIsWritten() {
    CommitOutcome conflict =
        new CommitOutcome.Conflict(
            new RowFamily("accounts", Bytes.utf8("secret-row"), Bytes.utf8("f")),
            900,
            ConflictException.Kind.READ_WRITE);
    write(Optional.of(conflict), 0);
    write(Optional.empty(), SECOND);
    write(Optional.of(new CommitOutcome.Aborted("why", null)), 2 * SECOND);
    assertThat(lines.get(0))
        .contains("\"outcome\":\"conflict\",\"conflictKind\":\"READ_WRITE\"")
        .contains("\"conflictTable\":\"accounts\"")
        .doesNotContain("secret");
    assertThat(lines.get(1)).contains("\"outcome\":\"rolled back\"");
    assertThat(lines.get(2)).contains("\"outcome\":\"aborted\"");
  }

  @Test
  void manySlowTransactions_leaveALineInTenthOfASecond_andTheNumberOfTheOthers() {
    for (int i = 0; i <= 1000; i++) {
      write(Optional.empty(), i * TimeUnit.MILLISECONDS.toNanos(1));
    }
    assertThat(lines).hasSize(11);
    assertThat(lines.get(0)).doesNotContain("omittedBefore");
    assertThat(lines.subList(1, 11))
        .allSatisfy(line -> assertThat(line).contains("\"omittedBefore\":99"));
  }

  @Test
  void zero_disablesIt() {
    SlowTransactionLog never = new SlowTransactionLog(Duration.ZERO, lines::add);
    assertThat(never.begin(OFF)).isSameAs(TransactionTrace.NONE);
    never.ended(never.begin(OFF), committed(), 0, Long.MAX_VALUE);
    assertThat(lines).isEmpty();
    measure(TransactionTrace.NONE, Phase.FLUSH, 5);
    TransactionTrace.NONE.met(1);
    assertThat(TransactionTrace.NONE.nanos(Phase.FLUSH)).isZero();
    assertThat(TransactionTrace.NONE.intents()).isZero();
  }

  @Test
  void aLineThatCannotBeWritten_isMissing_andFailsNothing() {
    SlowTransactionLog full =
        new SlowTransactionLog(
            Duration.ofSeconds(1),
            line -> {
              lines.add(line);
              throw new IllegalStateException("disk full");
            });
    for (long at = 10; at < 13; at++) {
      full.ended(full.begin(OFF), committed(), 0, at * SECOND);
    }
    assertThat(lines).hasSize(3);
    assertThat(lines.get(2)).endsWith("\"omittedBefore\":2}");
  }

  @Test
  void metrics_measureWithoutALog_andNothingIsWritten() {
    SlowTransactionLog never = new SlowTransactionLog(Duration.ZERO, lines::add);
    TransactionMetrics metrics = new TransactionMetrics(new HotRows(true), true);
    TransactionTrace trace = never.begin(metrics);
    measure(trace, Phase.EARLY_FLUSH, 5);
    measure(trace, Phase.EARLY_FLUSH, 7);
    never.ended(trace, committed(), 0, Long.MAX_VALUE);
    assertThat(lines).isEmpty();
    assertThat(metrics.latencies()).containsOnlyKeys("early-flush");
    assertThat(metrics.latencies().get("early-flush").count()).isEqualTo(2);
    assertThat(metrics.latencies().get("early-flush").sumNanos()).isEqualTo(12);
  }

  private void write(Optional<CommitOutcome> outcome, long at) {
    log.ended(log.begin(OFF), new Ended(512, List.of("a"), outcome), at - 2 * SECOND, at);
  }

  private static Ended committed() {
    return new Ended(512, List.of("a", "ns:b"), Optional.of(new CommitOutcome.Committed(768)));
  }

  private void measure(TransactionTrace trace, Phase phase, long took) {
    driver().start(trace.measure(phase, () -> Step.pause(Duration.ofNanos(took)))).join();
  }

  private Driver driver() {
    return new Driver(
        pause -> {
          nanos += pause.toNanos();
          return CompletableFuture.completedFuture(null);
        },
        new Clock() {
          @Override
          public long wallMillis() {
            throw new UnsupportedOperationException("durations are on the monotonic clock");
          }

          @Override
          public long monotonicNanos() {
            return nanos;
          }
        });
  }
}
