package io.lampone.client.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.lampone.client.CommitOutcomeUnknownException;
import io.lampone.client.Fakes;
import io.lampone.client.LamponeException;
import io.lampone.client.RetryAdvice;
import io.lampone.client.Savepoint;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.OpenTransaction.Write;
import io.lampone.client.core.TransactionMode;
import io.lampone.client.core.hold.HoldKeeper;
import io.lampone.client.core.range.ScanProgress;
import io.lampone.client.core.slow.HotRows;
import io.lampone.client.core.slow.SlowTransactionLog;
import io.lampone.client.core.slow.TransactionMetrics;
import io.lampone.client.core.slow.TransactionTrace;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.AsyncRequest;
import io.lampone.client.hbase.read.BlockingScanner;
import io.lampone.client.hbase.transport.StoreSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class BlockingTransactionTest {

  private static final RowFamily PLACE = new RowFamily("t", Bytes.utf8("r"), Bytes.utf8("f"));

  private final Fakes fakes = new Fakes();
  private final OpenTransaction open =
      new OpenTransaction(
          fakes.begin().join(),
          new TransactionMode(false, true, true),
          fakes.services(),
          SystemClock.INSTANCE.monotonicNanos() + TimeUnit.MINUTES.toNanos(1));
  private final HBaseTransaction.Context context =
      new HBaseTransaction.Context(
          Fakes.withoutServers(),
          Fakes.noTables(),
          new WriteTranslator(1000),
          Fakes.holds(),
          Fakes.neverSlow(),
          1000);
  private final BlockingTransaction transaction =
      new BlockingTransaction(
          new HBaseTransaction(
              open,
              context,
              context.holds().begun(1, Duration.ZERO, Long.MAX_VALUE),
              TransactionTrace.NONE));

  @Test
  void aSecondThreadIsRefusedAndTheFirstGoesOn() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CompletableFuture<String> slow = new CompletableFuture<>();
    CompletableFuture<String> first =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return transaction.call(
                    begun -> {
                      inside.countDown();
                      return AsyncRequest.step(() -> slow);
                    });
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
    inside.await();

    assertThatThrownBy(transaction::commit)
        .isInstanceOf(LamponeException.class)
        .hasMessageStartingWith("LP-403");

    slow.complete("went on");
    assertThat(first.get()).isEqualTo("went on");
    transaction.commit();
  }

  /** HBase's own default methods throw. */
  @Test
  void aTableHasTheTimeoutsOfItsTransaction() {
    Table table = transaction.table(TableName.valueOf("t"));
    table.setOperationTimeout(1);
    table.setRpcTimeout(1);
    long nanos = StoreSettings.DEFAULT.operationTimeout().toNanos();
    assertThat(table.getRpcTimeout(TimeUnit.NANOSECONDS)).isEqualTo(nanos);
    assertThat(table.getReadRpcTimeout(TimeUnit.NANOSECONDS)).isEqualTo(nanos);
    assertThat(table.getWriteRpcTimeout(TimeUnit.NANOSECONDS)).isEqualTo(nanos);
    assertThat(table.getOperationTimeout(TimeUnit.MILLISECONDS)).isBetween(1_000L, 60_000L);
    assertThat(table.getRequestAttributes()).isEmpty();
  }

  @Test
  void whoeverClosesItEndsItThoughAnotherThreadIsInsideACall() throws Exception {
    CompletableFuture<String> slow = new CompletableFuture<>();
    CompletableFuture<Void> inside = new CompletableFuture<>();
    CompletableFuture<Throwable> other = CompletableFuture.supplyAsync(() -> stay(inside, slow));
    inside.get();

    transaction.close();

    assertThat(open.outcome()).isPresent();
    slow.complete("done");
    assertThat(other.get()).isNull();
    assertThatThrownBy(transaction::commit).hasMessageStartingWith("LP-403");
  }

  /** Else {@code run} would do again what the application has given up. */
  @Test
  void aCallThatIsUnderWayInARollbackIsToldOfTheEnd() throws Exception {
    CompletableFuture<Void> slow = new CompletableFuture<>();
    CompletableFuture<Void> inside = new CompletableFuture<>();
    CompletableFuture<Throwable> other =
        CompletableFuture.supplyAsync(
            () ->
                catchThrowable(
                    () ->
                        transaction.call(
                            begun ->
                                begun.operation(
                                    () -> {
                                      inside.complete(null);
                                      return AsyncRequest.step(() -> slow).then(read -> writing());
                                    }))));
    inside.get();

    transaction.rollback();
    slow.complete(null);

    assertThat(other.get())
        .isInstanceOfSatisfying(
            LamponeException.class, e -> assertThat(e.retryAdvice()).isEqualTo(RetryAdvice.NEVER))
        .hasMessageStartingWith("LP-403");
  }

  /** Else {@code run} would report as failed what is committed. */
  @Test
  void theCloseAfterACommitFailsForNobody() throws Exception {
    transaction.commit();
    CompletableFuture<String> slow = new CompletableFuture<>();
    CompletableFuture<Void> inside = new CompletableFuture<>();
    CompletableFuture<Throwable> other = CompletableFuture.supplyAsync(() -> stay(inside, slow));
    inside.get();

    transaction.close();

    slow.complete("done");
    assertThat(other.get()).isNull();
  }

  /** Stays inside a call until {@code end}; gives what it failed with. */
  private Throwable stay(CompletableFuture<Void> inside, CompletableFuture<String> end) {
    return catchThrowable(
        () ->
            transaction.call(
                begun -> {
                  inside.complete(null);
                  return AsyncRequest.step(() -> end);
                }));
  }

  /** It would go on in what the savepoint has undone. */
  @Test
  void aScannerThatIsOpenEndsWithTheSavepointThatIsRolledBackTo() throws IOException {
    Savepoint savepoint = transaction.savepoint();
    BlockingScanner scanner = transaction.scanner(ScanProgress.NONE, (started, here) -> {});
    scanner.onNext(List.of(Result.EMPTY_RESULT));

    transaction.rollbackTo(savepoint);

    assertThatThrownBy(scanner::next)
        .hasMessageStartingWith("LP-403")
        .hasMessageContaining("savepoint");
    assertThat(scanner.wantsMore()).isFalse();
  }

  @Test
  void aSavepointThatCannotBeRolledBackToLeavesScannersOpen() throws IOException {
    Savepoint another = new Savepoint(1, 1);
    BlockingScanner scanner = transaction.scanner(ScanProgress.NONE, (started, here) -> {});
    scanner.onComplete();

    assertThatThrownBy(() -> transaction.rollbackTo(another)).hasMessageStartingWith("LP-403");

    assertThat(scanner.next()).isNull();
  }

  @Test
  void nothingWorksAfterTheEnd() throws IOException {
    transaction.commit();

    assertThatThrownBy(transaction::commit).hasMessageStartingWith("LP-403");
    assertThatThrownBy(transaction::savepoint).hasMessageStartingWith("LP-403");
    transaction.rollback();
    transaction.close();
  }

  @Test
  void commitGivesItsTimestampOnlyIfItWrote() throws IOException {
    transaction.commit();

    assertThat(transaction.commitTimestamp()).isEmpty();
    assertThat(transaction.id()).isEmpty();
  }

  @Test
  void anInterruptInsideCommitLeavesTheOutcomeUnknownAndTheFlagSet() {
    write();
    fakes.hangAtCommit();
    Thread.currentThread().interrupt();

    assertThatThrownBy(transaction::commit)
        .isInstanceOfSatisfying(
            CommitOutcomeUnknownException.class,
            e -> assertThat(e.transactionId()).isEqualTo(open.id()));
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void theSnapshotOfACommitUnderWayIsHeldBeyondItsDeadline() {
    HoldKeeper holds = context.holds();
    long over = SystemClock.INSTANCE.monotonicNanos();
    HBaseTransaction committing =
        new HBaseTransaction(
            open, context, holds.begun(1, Duration.ofHours(1), over), TransactionTrace.NONE);
    write();
    fakes.hangAtCommit();

    CompletableFuture<Void> commit = committing.commit();
    Fakes.sweep(holds); // asks how long the retention is
    Fakes.sweep(holds);

    assertThat(commit).isNotDone();
    assertThat(holds.isHolding()).isTrue();
  }

  /** Else {@code run} would do its work again. */
  @Test
  void aFaultOfTheClientIsNoFailureOfTheStore() {
    assertThatThrownBy(
            () ->
                transaction.call(
                    begun ->
                        begun.operation(
                            () -> {
                              throw new IllegalStateException("a fault");
                            })))
        .isInstanceOf(DoNotRetryIOException.class)
        .isNotInstanceOf(LamponeException.class)
        .hasRootCauseMessage("a fault");
  }

  /** Else {@code run} would do again what is committed. */
  @Test
  void aLogThatFailsDoesNotFailACommit() throws IOException {
    SlowTransactionLog slow =
        new SlowTransactionLog(
            Duration.ofNanos(1),
            line -> {
              throw new IllegalStateException("disk full");
            });
    HBaseTransaction.Context logging =
        new HBaseTransaction.Context(
            context.access(), context.tables(), context.translator(), context.holds(), slow, 1000);
    BlockingTransaction logged =
        new BlockingTransaction(
            new HBaseTransaction(
                open,
                logging,
                context.holds().begun(1, Duration.ZERO, Long.MAX_VALUE),
                slow.begin(new TransactionMetrics(new HotRows(true), true))));
    write();

    logged.commit();

    assertThat(logged.commitTimestamp()).isPresent();
  }

  @Test
  void anInterruptElsewhereIsAnInterruptedIo() {
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> transaction.call(begun -> AsyncRequest.step(CompletableFuture::new)))
        .isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void commitAndSavepointsAreRefusedWhileAnAsynchronousOperationIsUnderWay() {
    HBaseTransaction asynchronous =
        new HBaseTransaction(
            open,
            context,
            context.holds().begun(1, Duration.ZERO, Long.MAX_VALUE),
            TransactionTrace.NONE);
    CompletableFuture<String> slow = new CompletableFuture<>();
    CompletableFuture<String> operation =
        asynchronous.start(asynchronous.operation(() -> AsyncRequest.step(() -> slow)));

    assertThat(asynchronous.commit()).isCompletedExceptionally();
    assertThat(asynchronous.rollback()).isCompletedExceptionally();
    assertThat(asynchronous.savepoint())
        .as("a write under way would be on either side of it")
        .isCompletedExceptionally();

    slow.complete("done");
    assertThat(operation).isCompletedWithValue("done");
    assertThat(asynchronous.savepoint()).isCompleted();
    assertThat(asynchronous.commit()).isCompleted();
  }

  @Test
  void aReadIsSentByTheThreadOnWhichTheBeginArrives() throws Exception {
    CompletableFuture<HBaseTransaction> begun = new CompletableFuture<>();
    Thread arrival =
        new Thread(
            () -> {
              // When the caller waits, so that it cannot have run the step itself.
              while (begun.getNumberOfDependents() == 0) {
                Thread.onSpinWait();
              }
              begun.complete(asynchronous());
            });
    arrival.start();

    Thread sender = beginning(begun).callAsItBegins(running -> Step.done(Thread.currentThread()));

    assertThat(sender).isSameAs(arrival);
  }

  @Test
  void aBeginThatFailsIsWhatEveryStepFailsWith() {
    CompletableFuture<HBaseTransaction> begun = new CompletableFuture<>();
    BlockingTransaction beginning = beginning(begun);
    LamponeException failure =
        new LamponeException(LamponeException.Code.MANAGER_UNAVAILABLE, 0, "nobody answers");
    begun.completeExceptionally(failure);

    assertThatThrownBy(() -> beginning.callAsItBegins(one -> AsyncRequest.step(one::savepoint)))
        .isSameAs(failure);
    assertThatThrownBy(beginning::savepoint).isSameAs(failure);
    assertThatThrownBy(beginning::commit).isSameAs(failure);
    assertThatThrownBy(beginning::startTimestamp)
        .isInstanceOf(UncheckedIOException.class)
        .hasCause(failure);
    assertThat(beginning.id()).isEmpty();
    assertThat(beginning.commitTimestamp()).isEmpty();
  }

  @Test
  void whatIsClosedBeforeItHasBegunIsAbandonedWhenItDoes() throws IOException {
    CompletableFuture<HBaseTransaction> begun = new CompletableFuture<>();
    BlockingTransaction beginning = beginning(begun);

    beginning.close();
    HBaseTransaction late = asynchronous();
    begun.complete(late);

    assertThat(late.commit()).isCompletedExceptionally();
    assertThat(open.outcome()).isPresent();
  }

  @Test
  void anInterruptBeforeTheBeginIsAnInterruptedIo() {
    BlockingTransaction beginning = beginning(new CompletableFuture<>());
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> beginning.callAsItBegins(one -> AsyncRequest.step(one::savepoint)))
        .isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  private HBaseTransaction asynchronous() {
    return new HBaseTransaction(
        open,
        context,
        context.holds().begun(1, Duration.ZERO, Long.MAX_VALUE),
        TransactionTrace.NONE);
  }

  private BlockingTransaction beginning(CompletableFuture<HBaseTransaction> begun) {
    return new BlockingTransaction(begun, context, open.deadlineNanos());
  }

  private void write() {
    asynchronous().start(writing()).join();
  }

  private Step<Void> writing() {
    return open.write(
        ConflictLevel.ROW,
        PLACE,
        List.of(
            new Write(IntentKind.PUT, Bytes.utf8("q"), Bytes.utf8("v"), FamilyRetention.FOREVER)));
  }
}
