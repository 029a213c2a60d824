package io.lampone.client.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.lampone.client.Fakes;
import io.lampone.client.core.CommitOutcome;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.OpenTransaction.Write;
import io.lampone.client.core.ReadSet;
import io.lampone.client.core.TransactionLimits;
import io.lampone.client.core.TransactionMode;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.hold.HoldKeeper;
import io.lampone.client.core.slow.TransactionTrace;
import io.lampone.client.core.step.Step;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.hbase.Carrier;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.Phase;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.time.SystemClock;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncAdmin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a table inside a transaction does, without a server or with answers of the test. */
@Timeout(180)
class HBaseTransactionTableTest {

  private static final TableName NAME = TableName.valueOf("t");
  private static final byte[] FAMILY = {'f'};
  private static final byte[] COUNTER = {'n'};
  private static final String TOO_LARGE = "LP-404";
  private static final int SMALL_STACK = 512 << 10;

  private final AtomicInteger descriptorsRead = new AtomicInteger();
  private final Fakes fakes = new Fakes();
  private final RecordingTable server = new RecordingTable();
  private final HoldKeeper holds = Fakes.holds();
  private final HBaseTransaction transaction = begin(Fakes.withoutServers(), false);

  @Test
  void aBatchOfAnyLengthNeedsNoDeepStack() throws InterruptedException {
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < 50_000; i++) {
      puts.add(
          new Put(Integer.toString(i).getBytes(StandardCharsets.UTF_8))
              .addColumn(FAMILY, FAMILY, FAMILY));
    }
    AtomicReference<CompletableFuture<List<Result>>> batch = new AtomicReference<>();
    Thread caller =
        new Thread(
            null, () -> batch.set(transaction.table(NAME).batchAll(puts)), "caller", SMALL_STACK);
    caller.setUncaughtExceptionHandler((thread, thrown) -> {});
    caller.start();
    caller.join();

    assertThat(batch.get()).isCompletedWithValueMatching(results -> results.size() == puts.size());
    assertThat(transaction.commit()).isCompleted();
  }

  @Test
  void aBatchThatFailsTellsHowFarItCame() {
    Put put = new Put(FAMILY).addColumn(FAMILY, FAMILY, FAMILY);
    Put refused = new Put(FAMILY).addColumn(FAMILY, FAMILY, 7, FAMILY);
    Table table = new BlockingTransaction(transaction).table(NAME);
    Object[] results = new Object[4];

    Throwable failure = catchThrowable(() -> table.batch(List.of(put, put, refused, put), results));

    assertThat(failure).hasMessageStartingWith("LP-401");
    assertThat(results).containsExactly(Result.EMPTY_RESULT, Result.EMPTY_RESULT, failure, null);
  }

  @Test
  void aBatchThatFailsCallsBackForWhatWasDone() {
    Put put = new Put(FAMILY).addColumn(FAMILY, FAMILY, FAMILY);
    Put refused = new Put(FAMILY).addColumn(FAMILY, FAMILY, 7, FAMILY);
    Table table = new BlockingTransaction(transaction).table(NAME);
    List<Object> done = new ArrayList<>();

    assertThatThrownBy(
            () ->
                table.batchCallback(
                    List.of(put, refused, put), null, (region, row, result) -> done.add(result)))
        .hasMessageStartingWith("LP-401");
    assertThat(done).containsExactly(Result.EMPTY_RESULT);
  }

  @Test
  void anIncrementOfAnUnknownFamilyIsFoundBeforeItsRowIsChanged() throws Exception {
    RowMutations row =
        RowMutations.of(
            List.of(
                new Put(FAMILY).addColumn(FAMILY, FAMILY, FAMILY),
                new Increment(FAMILY).addColumn(COUNTER, COUNTER, 1)));
    assertThat(transaction.table(NAME).mutateRow(row)).isCompletedExceptionally();
    assertThat(transaction.commit()).isCompleted();
  }

  /** The increment reads, and there is no server. */
  @Test
  void aRowMutationOfWhichAPartFailsIsNeverCommittedInPart() throws Exception {
    RowMutations row =
        RowMutations.of(
            List.of(
                new Put(FAMILY).addColumn(FAMILY, FAMILY, FAMILY),
                new Increment(FAMILY).addColumn(FAMILY, COUNTER, 1)));
    assertThat(transaction.table(NAME).mutateRow(row)).failsWithin(Duration.ofMinutes(1));
    assertThat(transaction.commit()).failsWithin(Duration.ofMinutes(1));
    assertThat(transaction.open().outcome())
        .hasValueSatisfying(
            outcome -> assertThat(outcome).isInstanceOf(CommitOutcome.Aborted.class));
  }

  /** Its cause would be the same in the next attempt. */
  @Test
  void theCommitAfterARowMutationThatFailedInPartTellsWhy() throws Exception {
    server.gets =
        get ->
            CompletableFuture.completedFuture(
                Result.create(
                    List.of(
                        new KeyValue(FAMILY, FAMILY, COUNTER, 1, new byte[] {1}),
                        Carrier.proofCell(FAMILY, new byte[0]))));
    HBaseTransaction counting = begin(server.access(), false);
    RowMutations row =
        RowMutations.of(
            List.of(
                new Put(FAMILY).addColumn(FAMILY, FAMILY, FAMILY),
                new Increment(FAMILY).addColumn(FAMILY, COUNTER, 1)));
    assertFailsWith(counting.table(NAME).mutateRow(row), "LP-401");
    assertFailsWith(counting.commit(), "LP-401");
  }

  @Test
  void aListOfWhichAPartWouldBeTooMuchIsNotBufferedAtAll() {
    HBaseTransaction small = beginWithTwoCells();
    List<Put> three = new ArrayList<>();
    for (byte i = 1; i <= 3; i++) {
      three.add(new Put(new byte[] {i}).addColumn(FAMILY, FAMILY, FAMILY));
    }
    assertFailsWith(small.table(NAME).putAll(three), TOO_LARGE);
    assertFailsWith(
        small.table(NAME).deleteAll(three.stream().map(put -> new Delete(put.getRow())).toList()),
        TOO_LARGE);
    assertThat(
            small.open().buffersAny(NAME.getNameAsString(), Bytes.EMPTY, true, Bytes.EMPTY, true))
        .isFalse();
    assertThat(small.table(NAME).putAll(three.subList(0, 2))).isCompleted();
    assertThat(small.commit()).isCompleted();
  }

  @Test
  void aRowMutationOfWhichAPartWouldBeTooMuchIsNotBufferedAtAll() throws Exception {
    HBaseTransaction small = beginWithTwoCells();
    Put put = new Put(FAMILY).addColumn(FAMILY, FAMILY, FAMILY).addColumn(FAMILY, COUNTER, FAMILY);
    RowMutations row =
        RowMutations.of(List.of(put, new Increment(FAMILY).addColumn(FAMILY, COUNTER, 1)));
    assertFailsWith(small.table(NAME).mutateRow(row), TOO_LARGE);
    assertThat(small.table(NAME).put(put)).isCompleted();
    assertThat(small.commit()).isCompleted();
  }

  @Test
  void aGetThatIsRefusedFailsInItsOwnPlaceOfABatch() throws Exception {
    server.gets = get -> CompletableFuture.completedFuture(proof(get.getRow()));
    Table table = new BlockingTransaction(begin(server.access(), false)).table(NAME);
    Get good = new Get(FAMILY);
    Get bad = new Get(FAMILY).setTimestamp(7);
    Object[] results = new Object[4];

    Throwable failure = catchThrowable(() -> table.batch(List.of(good, good, bad, good), results));

    assertThat(failure).hasMessageStartingWith("LP-401");
    assertThat(results[0]).isInstanceOf(Result.class);
    assertThat(results[1]).isInstanceOf(Result.class);
    assertThat(results[2]).isSameAs(failure);
    assertThat(results[3]).isNull();
  }

  @Test
  void anErrorInsideAnOperationLeavesNothingUnderWay() {
    assertThat(
            transaction.start(
                transaction.operation(
                    () -> {
                      throw new StackOverflowError();
                    })))
        .isCompletedExceptionally();

    assertThat(transaction.commit()).isCompleted();
  }

  @Test
  void aTableWhoseConflictLevelChangesAbortsTheTransaction() {
    transaction
        .start(
            transaction
                .open()
                .write(
                    ConflictLevel.CELL,
                    new RowFamily(NAME.getNameAsString(), Bytes.of(FAMILY), Bytes.of(FAMILY)),
                    List.of(
                        new Write(
                            IntentKind.PUT,
                            Bytes.of(FAMILY),
                            Bytes.of(FAMILY),
                            FamilyRetention.FOREVER))))
        .join();

    Put put = new Put(FAMILY).addColumn(FAMILY, FAMILY, FAMILY);
    assertThat(transaction.table(NAME).put(put))
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .havingCause()
        .withMessageContaining("LP-102");
    assertThat(transaction.commit())
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .havingCause()
        .withMessageContaining("LP-102");
  }

  /** The master, which is asked for a descriptor, may be away when a table is in use. */
  @ParameterizedTest
  @EnumSource(Refusal.Code.class)
  void onlyARefusalThatContradictsADescriptorHasItReadAgain(Refusal.Code code) {
    Put put = new Put(FAMILY).addColumn(FAMILY, FAMILY, FAMILY);
    Throwable refused =
        new StoreRefusedException(NAME.getNameAsString(), Refusal.of(code, "why"), null);
    assertThat(transaction.table(NAME).put(put)).isCompleted();

    assertThat(transaction.start(transaction.operation(() -> Step.failed(refused))))
        .isCompletedExceptionally();

    assertThat(transaction.table(NAME).put(put)).isCompleted();
    boolean contradicts =
        switch (code) {
          case LEVEL_MISMATCH, TABLE_CHANGING, FAST_PATH_DISABLED, UNSUPPORTED, MALFORMED -> true;
          default -> false;
        };
    assertThat(descriptorsRead).hasValue(contradicts ? 2 : 1);
  }

  /** Else its outcome would soon be too old to be looked up. */
  @Test
  void aTransactionWhoseOutcomeIsUnknownStaysHeldWithItsGrant() {
    fakes.loseLeaders();
    Put put = new Put(FAMILY).addColumn(FAMILY, FAMILY, FAMILY);
    assertThat(transaction.table(NAME).put(put)).isCompleted();

    assertThat(transaction.commit()).isCompletedExceptionally();

    assertThat(transaction.open().outcome())
        .hasValueSatisfying(
            outcome -> assertThat(outcome).isInstanceOf(CommitOutcome.Unknown.class));
    assertThat(holds.ofDoubtful(transaction.startTimestamp()))
        .isEqualTo(transaction.open().grant());
  }

  @Test
  void theSecondOfTwoIncrementsCountsOnFromTheFirst() {
    List<CompletableFuture<Result>> reads = new ArrayList<>();
    server.gets =
        get -> {
          reads.add(new CompletableFuture<>());
          return reads.get(reads.size() - 1);
        };
    HBaseTransaction counting = begin(server.access(), false);
    Increment increment = new Increment(FAMILY).addColumn(FAMILY, COUNTER, 1);

    CompletableFuture<Result> first = counting.table(NAME).increment(increment);
    CompletableFuture<Result> second = counting.table(NAME).increment(increment);
    for (int i = 0; i < reads.size(); i++) {
      reads.get(i).complete(proof(FAMILY));
    }

    assertThat(first).isCompletedWithValueMatching(result -> counter(result) == 1);
    assertThat(second).isCompletedWithValueMatching(result -> counter(result) == 2);
  }

  @Test
  void anIncrementThatNamesAColumnTwiceChangesItTwice() {
    server.gets = get -> CompletableFuture.completedFuture(proof(FAMILY));
    Increment twice =
        new Increment(FAMILY).addColumn(FAMILY, COUNTER, 1).addColumn(FAMILY, COUNTER, 2);
    HBaseTransaction counting = begin(server.access(), false);

    assertThat(counting.table(NAME).increment(twice))
        .isCompletedWithValueMatching(result -> result.size() == 1 && counter(result) == 3);
  }

  @Test
  void aSerializableGetThatNamesNoFamilyIsCertifiedInAllOfThem() {
    server.gets = get -> CompletableFuture.completedFuture(proof(get.getRow()));
    HBaseTransaction serializable = begin(server.access(), true);
    byte[] row = {'r'};

    assertThat(serializable.table(NAME).get(new Get(row))).isCompleted();
    Put put = new Put(FAMILY).addColumn(FAMILY, FAMILY, FAMILY);
    assertThat(serializable.table(NAME).put(put)).isCompleted();
    assertThat(serializable.commit()).isCompleted();

    assertThat(fakes.certified())
        .containsExactly(
            new ReadSet.Point(
                NAME.getNameAsString(),
                ConflictLevel.ROW,
                Bytes.of(row),
                Map.of(Bytes.of(FAMILY), Set.of())));
  }

  /** Returns the answer of a region in which a row has no cells. */
  private static Result proof(byte[] row) {
    return Result.create(List.of(Carrier.proofCell(row, new byte[0])));
  }

  private static long counter(Result result) {
    return ByteBuffer.wrap(result.getValue(FAMILY, COUNTER)).getLong();
  }

  private static void assertFailsWith(CompletableFuture<?> operation, String code) {
    assertThat(operation)
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .havingCause()
        .withMessageStartingWith(code);
  }

  private HBaseTransaction beginWithTwoCells() {
    OpenTransaction.Services other = fakes.services();
    return begin(
        Fakes.withoutServers(),
        false,
        new OpenTransaction.Services(
            other.store(),
            other.resolver(),
            other.protocol(),
            other.postCommit(),
            other.clock(),
            new TransactionLimits(1 << 20, 2, 10),
            other.session(),
            other.oneRegion(),
            TransactionTrace.NONE,
            other.reserver()));
  }

  private HBaseTransaction begin(StoreAccess access, boolean serializable) {
    return begin(access, serializable, fakes.services());
  }

  private HBaseTransaction begin(
      StoreAccess access, boolean serializable, OpenTransaction.Services services) {
    OpenTransaction open =
        new OpenTransaction(
            fakes.begin().join(),
            new TransactionMode(false, true, false, serializable),
            services,
            SystemClock.INSTANCE.monotonicNanos() + TimeUnit.MINUTES.toNanos(1));
    return new HBaseTransaction(
        open,
        new HBaseTransaction.Context(
            access, knownTable(), new WriteTranslator(1000), holds, Fakes.neverSlow(), 1000),
        holds.begun(open.startTimestamp(), Duration.ZERO, Long.MAX_VALUE),
        TransactionTrace.NONE);
  }

  private TableCache knownTable() {
    TableDescriptor descriptor =
        new TableSettings(Phase.ENABLED, ConflictLevel.ROW, Timestamps.PLAIN_LIMIT)
            .applyTo(
                TableDescriptorBuilder.newBuilder(NAME)
                    .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY)))
            .build();
    AsyncAdmin admin =
        answering(
            AsyncAdmin.class,
            () -> {
              descriptorsRead.incrementAndGet();
              return CompletableFuture.completedFuture(descriptor);
            });
    return new TableCache(
        answering(AsyncConnection.class, () -> admin), SystemClock.INSTANCE, Duration.ofMinutes(1));
  }

  /** Answers every call with this. */
  private static <T> T answering(Class<T> type, Supplier<?> answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answer.get()));
  }
}
