package io.lampone.client.core.progress;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.core.step.Step;
import io.lampone.client.driver.Driver;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.HotRow;
import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.tm.StartBlock;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.TransactionManagerException.Kind;
import io.lampone.protocol.trust.Proofs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** When a client reports, and what. */
final class ProgressReporterTest {

  private final List<ProgressReport> sent = new ArrayList<>();
  private List<ProgressReport.Open> open = List.of();
  private List<HotRow> hotRows = List.of();
  private SortedMap<Integer, Long> work = new TreeMap<>();
  private Optional<Kind> failure = Optional.empty();
  private long nanos = 1;
  private long last = Timestamps.PLAIN_LIMIT;

  private final ProgressReporter reporter =
      new ProgressReporter(this::answer, () -> open, now -> hotRows, () -> work);
  private final Driver driver =
      new Driver(
          pause -> new CompletableFuture<>(),
          new Clock() {
            @Override
            public long wallMillis() {
              throw new UnsupportedOperationException(
                  "periods are measured on the monotonic clock");
            }

            @Override
            public long monotonicNanos() {
              return nanos;
            }
          });

  @Test
  void aClientThatNeedsNothingSendsNothing() {
    reporter.ended(256);
    pass(Duration.ofSeconds(60));
    assertThat(sent).isEmpty();
    assertThat(reporter.isActive()).isFalse();
  }

  @Test
  void startTimestampsAreAtHandAfterTheFirstDemandAndReportsEndAfterTheLast() {
    assertThat(reporter.take(0, nanos)).isEmpty();
    pass(ProgressReporter.IDLE_PERIOD);
    assertThat(sent).hasSize(1);
    assertThat(reporter.isActive()).isTrue();
    assertThat(reporter.take(0, nanos)).isPresent();
    reporter.ended(512);
    reporter.ended(1024);
    pass(ProgressReporter.PERIOD);
    assertThat(sent.get(1).ended()).containsExactly(512, 1024);
    pass(ProgressReporter.IN_USE);
    assertThat(sent).hasSizeBetween(90, 102);
    int before = sent.size();
    pass(Duration.ofSeconds(10));
    assertThat(sent).hasSizeBetween(before, before + 1);
    assertThat(reporter.isActive()).isFalse();
    assertThat(reporter.take(0, nanos)).as("of a block that is too old").isEmpty();
  }

  @Test
  void openTransactionsAreListedOnceASecondAndOnceMoreWhenTheyHaveEnded() {
    open = List.of(new ProgressReport.Open(256, 1500, "accounts"));
    pass(Duration.ofSeconds(10));
    assertThat(sent).hasSizeBetween(9, 11);
    assertThat(sent)
        .allSatisfy(
            report -> {
              assertThat(report.starts()).isZero();
              assertThat(report.open()).contains(open);
            });
    open = List.of();
    sent.clear();
    pass(Duration.ofSeconds(10));
    assertThat(sent).hasSize(1);
    assertThat(sent.get(0).open()).contains(List.of());
  }

  @Test
  void hotRowsAreListedOnceASecondAndOnceMoreWhenThereAreNone() {
    hotRows = List.of(new HotRow("write-write", "accounts", "r", 3, 512));
    pass(Duration.ofSeconds(10));
    assertThat(sent).hasSizeBetween(9, 11);
    assertThat(sent)
        .allSatisfy(
            report -> {
              assertThat(report.open()).isEmpty();
              assertThat(report.hotRows()).contains(hotRows);
            });
    hotRows = List.of();
    sent.clear();
    pass(Duration.ofSeconds(10));
    assertThat(sent).hasSize(1);
    assertThat(sent.get(0).hotRows()).contains(List.of());
  }

  @Test
  void workIsReportedOnce_andAgainWithoutAReply() {
    work = new TreeMap<>(Map.of(0, 5L, 64, 2L));
    pass(Duration.ofSeconds(10));
    assertThat(sent).hasSize(1);
    assertThat(sent.get(0).work()).isEqualTo(Map.of(0, 5, 64, 2));
    work = new TreeMap<>(Map.of(0, 7L, 64, 2L, 65, 1L));
    failure = Optional.of(Kind.UNAVAILABLE);
    pass(Duration.ofSeconds(1));
    failure = Optional.empty();
    sent.clear();
    pass(Duration.ofSeconds(10));
    assertThat(sent).hasSize(1);
    assertThat(sent.get(0).work()).isEqualTo(Map.of(0, 2, 65, 1));
    work = new TreeMap<>(Map.of(0, 1L << 40));
    sent.clear();
    pass(Duration.ofSeconds(10));
    assertThat(sent.get(0).work()).isEqualTo(Map.of(0, Integer.MAX_VALUE));
  }

  /** HBase permits any letter in the name of a table. */
  @Test
  void namesOfTablesMayHaveAnyLetters() {
    open = List.of(new ProgressReport.Open(256, 1500, "\u00e9t\u00e9,accounts"));
    pass(Duration.ofSeconds(2));
    assertThat(sent.get(0).text()).isEqualTo("?t?,accounts");
  }

  @Test
  void aMistakeInTheListDoesNotEndReporting() {
    open = List.of(new ProgressReport.Open(256, 1500, "a"));
    List<ProgressReport.Open> tooMany = new ArrayList<>();
    for (int i = 0; i <= ProgressReport.MAX_OPEN; i++) {
      tooMany.addAll(open);
    }
    open = tooMany;
    pass(Duration.ofSeconds(2));
    assertThat(sent).isEmpty();
    open = List.of();
    pass(Duration.ofSeconds(2));
    assertThat(sent).hasSize(1);
  }

  @Test
  void anOlderTransactionManagerIsLeftAloneForAWhile() {
    failure = Optional.of(Kind.INCOMPATIBLE);
    for (int i = 0; i < 60; i++) {
      reporter.take(0, nanos);
      pass(Duration.ofSeconds(1));
    }
    assertThat(sent).hasSize(2);
    assertThat(reporter.isActive()).isFalse();
  }

  @Test
  void afterAFailureNoBlockIsUsedAndTheListIsSentAgain() {
    open = List.of(new ProgressReport.Open(256, 1500, ""));
    reporter.take(0, nanos);
    pass(ProgressReporter.IDLE_PERIOD);
    failure = Optional.of(Kind.UNAVAILABLE);
    open = List.of();
    reporter.take(0, nanos);
    pass(Duration.ofSeconds(1));
    assertThat(reporter.take(0, nanos)).isEmpty();
    failure = Optional.empty();
    sent.clear();
    pass(Duration.ofSeconds(3));
    assertThat(sent).anySatisfy(report -> assertThat(report.open()).contains(List.of()));
  }

  @Test
  void whatIsLeftOverForAReportWaitsForTheNextAndIsLimited() {
    reporter.take(0, nanos);
    for (long i = 1; i <= 100_000; i++) {
      reporter.ended(i);
    }
    pass(ProgressReporter.IN_USE);
    assertThat(sent)
        .allSatisfy(report -> assertThat(report.ended().length).isLessThanOrEqualTo(1000));
    assertThat(sent.stream().mapToInt(report -> report.ended().length).sum()).isEqualTo(10_000);
  }

  private Step<StartBlock> answer(ProgressReport report) {
    sent.add(report);
    if (failure.isPresent()) {
      return Step.failed(new TransactionManagerException(failure.get(), "no"));
    }
    long first = last + Timestamps.TICK;
    last += report.starts() * Timestamps.TICK;
    return Step.done(
        new StartBlock(
            last,
            0,
            first,
            report.starts(),
            Proofs.OPEN.grant(first, Math.max(0, report.starts() - 1))));
  }

  private void pass(Duration duration) {
    long end = nanos + duration.toNanos();
    while (nanos < end) {
      nanos = Math.min(end, nanos + reporter.pause().toNanos());
      driver.start(reporter.report()).join();
    }
  }
}
