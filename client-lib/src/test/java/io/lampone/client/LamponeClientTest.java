package io.lampone.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.LamponeException.Code;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.OpenTransaction.Write;
import io.lampone.client.hbase.HBaseTransaction;
import io.lampone.client.hbase.transport.ScheduledTimer;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.time.Backoff;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.Get;
import org.junit.jupiter.api.Test;

class LamponeClientTest {

  private static final RowFamily PLACE = new RowFamily("t", Bytes.utf8("r"), Bytes.utf8("f"));

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Fakes fakes = new Fakes();
  private final LamponeClient client = fakes.client();

  @Test
  void runBeginsAgainOnANewSnapshotAfterAConflict() throws IOException {
    List<Long> snapshots = new ArrayList<>();

    String result =
        client.run(
            tx -> {
              snapshots.add(tx.startTimestamp());
              if (snapshots.size() < 3) {
                throw new ConflictException(tx.startTimestamp(), PLACE, 1);
              }
              return "done";
            });

    assertThat(result).isEqualTo("done");
    assertThat(snapshots).hasSize(3).isSorted().doesNotHaveDuplicates();
  }

  /** Else a client that holds a row for good keeps all others from it. */
  @Test
  void aRepetitionGoesOn_whateverAnotherHolds() {
    fakes.holdAllRows();
    List<Long> snapshots = new ArrayList<>();
    CompletableFuture<Integer> run =
        fakes
            .client()
            .runAsync(
                TransactionOptions.DEFAULT,
                tx -> {
                  snapshots.add(tx.startTimestamp());
                  OpenTransaction open = ((HBaseTransaction) tx).open();
                  Write write =
                      new Write(IntentKind.PUT, Bytes.EMPTY, Bytes.EMPTY, FamilyRetention.FOREVER);
                  for (int row = 0; row < 64; row++) {
                    RowFamily place = new RowFamily("t", Bytes.utf8("r" + row), PLACE.family());
                    Fakes.withoutServers()
                        .driver()
                        .start(open.write(ConflictLevel.ROW, place, List.of(write)))
                        .join();
                  }
                  return CompletableFuture.completedFuture(snapshots.size());
                });
    assertThat(run).succeedsWithin(PATIENCE).isEqualTo(2);
  }

  /** Exception of an application. */
  private static final class OutOfStock extends Exception {
    private static final long serialVersionUID = 1;
  }

  @Test
  void anExceptionOfTheApplication_passesAsItIs_rollsBackAndIsNotRepeated() throws IOException {
    List<Transaction> seen = new ArrayList<>();
    OutOfStock thrown = new OutOfStock();
    try {
      client.execute(
          tx -> {
            seen.add(tx);
            tx.startTimestamp();
            throw thrown;
          });
    } catch (OutOfStock e) {
      assertThat(e).isSameAs(thrown);
    }
    assertThat(seen).hasSize(1);
    assertThatThrownBy(() -> seen.get(0).commit())
        .isInstanceOfSatisfying(
            LamponeException.class, e -> assertThat(e.code()).isEqualTo(Code.ILLEGAL_USE));
  }

  @Test
  void workWithoutAResult_isRepeatedLikeAnyOther() throws IOException {
    List<Long> snapshots = new ArrayList<>();
    client.execute(
        tx -> {
          snapshots.add(tx.startTimestamp());
          if (snapshots.size() < 3) {
            throw new ConflictException(tx.startTimestamp(), PLACE, 1);
          }
        });
    assertThat(snapshots).hasSize(3).isSorted().doesNotHaveDuplicates();
  }

  /** Service of an application, which knows the interface only. */
  private static String service(TransactionClient transactions) throws IOException {
    return transactions.run(tx -> "at " + tx.startTimestamp());
  }

  @Test
  void aTestOfAnApplication_replacesTheClient() throws IOException {
    assertThat(service(client)).startsWith("at ");
    Transaction transaction =
        (Transaction)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Transaction.class},
                (self, method, arguments) -> 7L);
    TransactionClient fake =
        (TransactionClient)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {TransactionClient.class},
                (self, method, arguments) ->
                    ((TransactionClient.TransactionFunction<?, ?>) arguments[arguments.length - 1])
                        .apply(transaction));
    assertThat(service(fake)).isEqualTo("at 7");
  }

  @Test
  void runCallsTheWorkWhileItsBeginIsUnderWay() throws IOException {
    CompletableFuture<Void> answer = fakes.hangAtBegin();
    long before = fakes.timestampsIssued();

    long started =
        client.run(
            tx -> {
              assertThat(fakes.timestampsIssued()).isEqualTo(before);
              answer.complete(null);
              return tx.startTimestamp();
            });

    assertThat(started).isPositive();
    assertThat(fakes.timestampsIssued()).isEqualTo(before + 1);
  }

  @Test
  void aBeginThatFailsUnderWayEndsRun() {
    CompletableFuture<Void> answer = fakes.hangAtBegin();

    assertThatThrownBy(
            () ->
                client.run(
                    TransactionOptions.DEFAULT.withRetries(0),
                    tx -> {
                      answer.completeExceptionally(new IOException("nobody answers"));
                      return tx.startTimestamp();
                    }))
        .hasMessageContaining("nobody answers");
  }

  @Test
  void aTransactionBeginsWithThePriorityOfItsOptions() throws IOException {
    client.run(
        TransactionOptions.DEFAULT.withPriority(TransactionOptions.Priority.BATCH), tx -> null);
    client.run(tx -> null);
    assertThat(fakes.prioritized).containsExactly("begin BATCH", "begin DEFAULT");
  }

  @Test
  void runSeesThroughTheWrapperThatLambdasNeed() throws IOException {
    List<Long> snapshots = new ArrayList<>();

    client.run(
        tx -> {
          snapshots.add(tx.startTimestamp());
          if (snapshots.size() == 1) {
            throw new UncheckedIOException(new ConflictException(1, PLACE, 1));
          }
          return null;
        });

    assertThat(snapshots).hasSize(2);
  }

  @Test
  void runGivesUpAfterTheRetriesOfItsOptions() {
    int[] attempts = {0};

    assertThatThrownBy(
            () ->
                client.run(
                    TransactionOptions.DEFAULT.withRetries(4),
                    tx -> {
                      attempts[0]++;
                      throw new ConflictException(1, PLACE, 1);
                    }))
        .isInstanceOf(ConflictException.class);

    assertThat(attempts[0]).isEqualTo(5);
  }

  @Test
  void aFaultOfTheClientIsNeverRepeated() {
    int[] attempts = {0};

    assertThatThrownBy(
            () ->
                client.run(
                    tx -> {
                      attempts[0]++;
                      return tx.table("t").get((Get) null);
                    }))
        .hasMessageContaining("unforeseen");

    assertThat(attempts[0]).isOne();
  }

  @Test
  void anUnknownOutcomeIsNeverRepeated() {
    int[] attempts = {0};
    TransactionId id = new TransactionId(1L << 56, PLACE);

    assertThatThrownBy(
            () ->
                client.run(
                    tx -> {
                      attempts[0]++;
                      throw new CommitOutcomeUnknownException(id, "lost");
                    }))
        .isInstanceOfSatisfying(
            CommitOutcomeUnknownException.class, e -> assertThat(e.transactionId()).contains(id));

    assertThat(attempts[0]).isOne();
  }

  @Test
  void otherFailuresOfTheWorkEndTheTransactionAndPass() {
    Transaction[] used = new Transaction[1];

    assertThatThrownBy(
            () ->
                client.run(
                    tx -> {
                      used[0] = tx;
                      throw new IOException("disk");
                    }))
        .isInstanceOf(IOException.class)
        .hasMessage("disk");

    assertThatThrownBy(used[0]::savepoint).hasMessageStartingWith("LP-403");
  }

  @Test
  void runAsyncRepeatsLikeRun() throws Exception {
    List<Long> snapshots = new ArrayList<>();

    String result =
        client
            .runAsync(
                TransactionOptions.DEFAULT,
                tx -> {
                  snapshots.add(tx.startTimestamp());
                  return snapshots.size() < 3
                      ? CompletableFuture.failedFuture(new ConflictException(1, PLACE, 1))
                      : CompletableFuture.completedFuture("done");
                })
            .get();

    assertThat(result).isEqualTo("done");
    assertThat(snapshots).hasSize(3).doesNotHaveDuplicates();
    assertThatThrownBy(
            () ->
                client
                    .runAsync(
                        TransactionOptions.DEFAULT,
                        tx -> {
                          throw new IllegalStateException("bug");
                        })
                    .get())
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  void aClientThatIsClosedEndsWhatRunAsyncWaitsFor() throws IOException {
    ScheduledTimer timer = new ScheduledTimer();
    LamponeClient closing = fakes.client(delay -> timer.after(Duration.ofHours(1)), timer);
    CompletableFuture<String> running =
        closing.runAsync(
            TransactionOptions.DEFAULT,
            tx -> CompletableFuture.failedFuture(new ConflictException(1, PLACE, 1)));
    assertThat(running).isNotDone();

    closing.close();

    assertThat(running)
        .failsWithin(PATIENCE)
        .withThrowableOfType(ExecutionException.class)
        .withMessageContaining("LP-403")
        .withMessageContaining("the client has been closed");
  }

  @Test
  void anErrorInTheWorkOfRunAsyncEndsTheTransaction() {
    AsyncTransaction[] used = new AsyncTransaction[1];

    CompletableFuture<String> running =
        client.runAsync(
            TransactionOptions.DEFAULT,
            tx -> {
              used[0] = tx;
              throw new StackOverflowError();
            });

    assertThat(running)
        .failsWithin(PATIENCE)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(StackOverflowError.class);
    assertThat(used[0].savepoint()).as("it has ended").isCompletedExceptionally();
  }

  @Test
  void workOfRunAsyncThatGivesNoFutureEndsTheTransaction() {
    AsyncTransaction[] used = new AsyncTransaction[1];

    CompletableFuture<String> running =
        client.runAsync(
            TransactionOptions.DEFAULT,
            tx -> {
              used[0] = tx;
              return null;
            });

    assertThat(running)
        .failsWithin(PATIENCE)
        .withThrowableOfType(ExecutionException.class)
        .withMessageContaining("LP-403");
    assertThat(used[0].savepoint()).as("it has ended").isCompletedExceptionally();
  }

  @Test
  void aBeginWhoseCallerWasInterruptedLeavesNoTransactionBehind() {
    CompletableFuture<Void> answer = fakes.hangAtBegin();
    Thread.currentThread().interrupt();

    assertThatThrownBy(client::begin).isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
    answer.complete(null);

    assertThat(fakes.holdsSomething()).isFalse();
  }

  @Test
  void aSnapshotOfTheFutureIsRefused() {
    assertThatThrownBy(() -> client.asOf(Long.MAX_VALUE))
        .isInstanceOfSatisfying(
            LamponeException.class, e -> assertThat(e.code()).isEqualTo(Code.BAD_REQUEST));
    assertThatThrownBy(() -> client.asOf(17)).hasMessageStartingWith("LP-401");
  }

  @Test
  void aSnapshotOfThePastIsRoundedDown() throws IOException {
    long now = client.begin().startTimestamp();

    assertThat(client.asOf(now + 255).startTimestamp()).isEqualTo(now);
  }

  @Test
  void aSnapshotOfThePastLastsAsLongAsItsTimeout() throws IOException {
    long now = client.begin().startTimestamp();

    Transaction past =
        client.asOf(now, TransactionOptions.DEFAULT.withTimeout(Duration.ofNanos(1)));

    assertThat(past.startTimestamp()).isEqualTo(now);
    assertThatThrownBy(past::savepoint).hasMessageStartingWith("LP-103");
    assertThat(client.asOf(now).savepoint()).isNotNull();
  }

  @Test
  void aClosedClientRefusesAndHasClosedItsParts() throws IOException {
    client.close();
    client.close();

    assertThat(fakes.isClosed()).isTrue();
    assertThatThrownBy(client::begin).hasMessageStartingWith("LP-403");
  }

  @Test
  void anUnwrittenTransactionThatMayStillWriteIsRunning() throws IOException {
    long start = client.begin().startTimestamp();

    assertThat(client.status(new TransactionId(start, PLACE)))
        .isEqualTo(new TransactionOutcome.Running());
    assertThatThrownBy(() -> client.status(new TransactionId(start + (1L << 40), PLACE)))
        .hasMessageStartingWith("LP-401");
  }

  /** Else a SESSION transaction might begin below the commit that this one has been told of. */
  @Test
  void whatCommitsWhileItIsAskedFor_isBelowTheSessionsMark() throws IOException {
    long start = client.begin().startTimestamp();
    fakes.commitLeaders();

    TransactionOutcome outcome = client.status(new TransactionId(start, PLACE));

    long committed = ((TransactionOutcome.Committed) outcome).commitTimestamp();
    assertThat(committed).isGreaterThan(start + Timestamps.TICK);
    assertThat(client.causalToken().timestamp()).isGreaterThanOrEqualTo(committed);
  }

  /** Requests have short timeouts here; the pauses between repetitions need not. */
  @Test
  void aPauseMayBeLongerThanARequest() throws IOException {
    LamponeClientConfig hasty =
        LamponeClientConfig.builder()
            .managerTimeout(Duration.ofMillis(20))
            .operationTimeout(Duration.ofMillis(20))
            .build();
    Backoff pausing = new Backoff(Duration.ofMillis(400), Duration.ofMillis(400));
    List<Duration> pauses = new ArrayList<>();
    LamponeClient patient =
        fakes.client(
            hasty,
            delay -> {
              pauses.add(delay);
              return after(delay);
            },
            () -> {},
            pausing);
    patient.execute(
        tx -> {
          if (pauses.stream().noneMatch(pause -> pause.toMillis() > 200)) {
            throw new ConflictException(tx.startTimestamp(), PLACE, 1);
          }
        });
    assertThat(pauses).isNotEmpty();
  }

  @Test
  void aBeginThatTakesLongerThanItsTransactionMayFails() {
    CompletableFuture<Void> goOn = fakes.hangAtBegin();
    LamponeClient waiting = fakes.client(LamponeClientTest::after, () -> {});
    TransactionOptions shortLived = TransactionOptions.DEFAULT.withTimeout(Duration.ofMillis(100));
    long begun = System.nanoTime();
    assertThatThrownBy(() -> waiting.begin(shortLived)).hasMessageStartingWith("LP-301");
    CompletableFuture<AsyncTransaction> late = waiting.beginAsync(shortLived);
    assertThat(late)
        .failsWithin(PATIENCE)
        .withThrowableOfType(ExecutionException.class)
        .withMessageContaining("LP-301");
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(8));
    goOn.complete(null);
    assertThat(fakes.holdsSomething()).as("late transactions are abandoned").isFalse();
  }

  @Test
  void aClientThatDoesNotWaitAtItsCloseReleasesItsHold() throws IOException {
    LamponeClient closing =
        fakes.client(
            LamponeClientConfig.builder().closeTimeout(Duration.ZERO).build(),
            LamponeClientTest::after,
            () -> {},
            new Backoff(Duration.ofMillis(1), Duration.ofMillis(2)));
    Transaction open = closing.begin();
    assertThat(open.startTimestamp()).isPositive();
    assertThat(fakes.holdsSomething()).isTrue();
    closing.close();
    assertThat(fakes.isReleased()).isTrue();
  }

  private static CompletableFuture<Void> after(Duration delay) {
    return CompletableFuture.runAsync(
        () -> {}, CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS));
  }
}
