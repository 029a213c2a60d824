package io.lampone.client.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.lampone.client.Fakes;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.OpenTransaction.Write;
import io.lampone.client.core.TransactionMode;
import io.lampone.client.core.slow.TransactionTrace;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.Phase;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.time.SystemClock;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncAdmin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a table inside a transaction does where no server has to be asked. */
@Timeout(180)
class HBaseTransactionTableTest {

  private static final TableName NAME = TableName.valueOf("t");
  private static final byte[] FAMILY = {'f'};
  private static final int SMALL_STACK = 512 << 10;

  private final Fakes fakes = new Fakes();
  private final HBaseTransaction transaction =
      new HBaseTransaction(
          new OpenTransaction(
              fakes.begin().join(),
              new TransactionMode(false, true, false),
              fakes.services(),
              SystemClock.INSTANCE.monotonicNanos() + TimeUnit.MINUTES.toNanos(1)),
          new HBaseTransaction.Context(
              Fakes.withoutServers(),
              knownTable(),
              new WriteTranslator(1000),
              Fakes.holds(),
              Fakes.neverSlow(),
              1000),
          Fakes.holds().begun(1, Duration.ZERO, Long.MAX_VALUE),
          TransactionTrace.NONE);

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

  private static TableCache knownTable() {
    TableDescriptor descriptor =
        new TableSettings(Phase.ENABLED, ConflictLevel.ROW, Timestamps.PLAIN_LIMIT)
            .applyTo(
                TableDescriptorBuilder.newBuilder(NAME)
                    .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY)))
            .build();
    AsyncAdmin admin = answering(AsyncAdmin.class, CompletableFuture.completedFuture(descriptor));
    return new TableCache(
        answering(AsyncConnection.class, admin), SystemClock.INSTANCE, Duration.ofMinutes(1));
  }

  /** Answers every call with this. */
  private static <T> T answering(Class<T> type, Object answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> answer));
  }
}
