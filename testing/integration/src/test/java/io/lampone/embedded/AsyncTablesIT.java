package io.lampone.embedded;

import static io.lampone.embedded.RunningCluster.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.AsyncTransaction;
import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.Savepoint;
import io.lampone.client.TransactionOptions;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.ScanResultConsumer;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables of asynchronous transactions against HBase's own {@link AsyncTable}. */
@ExtendWith(SharedCluster.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AsyncTablesIT {

  private static final byte[] F = bytes("f");
  private static final byte[] Q = bytes("q");
  private static final byte[] N = bytes("n");

  /** Calls of an AsyncTable, and what they return as text. */
  private interface Calls {
    Object on(AsyncTable<ScanResultConsumer> table) throws Exception;
  }

  /** One or more methods of an AsyncTable. Rows a to e exist, with their names as values. */
  @SuppressWarnings("deprecation") // the deprecated ways are offered, too
  private enum Case {
    GET(t -> text(t.get(new Get(bytes("a"))).get())),
    GETS(t -> text(all(t.get(List.of(new Get(bytes("b")), new Get(bytes("x"))))))),
    GET_ALL(t -> text(t.getAll(List.of(new Get(bytes("b")), new Get(bytes("a")))).get())),
    EXISTS(t -> t.exists(new Get(bytes("a"))).get() + " " + t.exists(new Get(bytes("x"))).get()),
    EXIST(t -> all(t.exists(List.of(new Get(bytes("a")), new Get(bytes("x")))))),
    EXIST_ALL(t -> t.existsAll(List.of(new Get(bytes("x")), new Get(bytes("a")))).get()),
    PUT(t -> t.put(put("a", "1")).get()),
    PUTS(t -> all(t.put(new ArrayList<>(List.of(put("a", "1"), put("x", "2")))))),
    PUT_ALL(t -> t.putAll(new ArrayList<>(List.of(put("a", "1"), put("x", "2")))).get()),
    DELETE(t -> t.delete(new Delete(bytes("a"))).get()),
    DELETES(t -> all(t.delete(new ArrayList<>(List.of(new Delete(bytes("a"))))))),
    DELETE_ALL(t -> t.deleteAll(new ArrayList<>(List.of(new Delete(bytes("a"))))).get()),
    APPEND(t -> text(t.append(new Append(bytes("a")).addColumn(F, Q, bytes("+"))).get())),
    INCREMENT(t -> text(t.increment(new Increment(bytes("a")).addColumn(F, N, 7)).get())),
    INCREMENT_VALUE(
        t ->
            t.incrementColumnValue(bytes("a"), F, N, 7).get()
                + t.incrementColumnValue(bytes("a"), F, N, -2).get()),
    CHECK_HOLDS(t -> text(t.checkAndMutate(check("a", "a")).get())),
    CHECK_FAILS(t -> text(t.checkAndMutate(check("a", "b")).get())),
    CHECKS(t -> text(all(t.checkAndMutate(List.of(check("a", "a"), check("b", "a")))))),
    CHECK_ALL(t -> text(t.checkAndMutateAll(List.of(check("a", "a"), check("c", "c"))).get())),
    CONDITION_PUT(
        t ->
            t.checkAndMutate(bytes("a"), F)
                .qualifier(Q)
                .ifEquals(bytes("a"))
                .thenPut(put("a", "1"))
                .get()),
    CONDITION_DELETE(
        t ->
            t.checkAndMutate(bytes("a"), F)
                .qualifier(Q)
                .ifMatches(CompareOperator.LESS, bytes("b"))
                .thenDelete(new Delete(bytes("a")))
                .get()),
    CONDITION_ABSENT(
        t ->
            t.checkAndMutate(bytes("a"), F).qualifier(N).ifNotExists().thenMutate(both("a")).get()),
    CONDITION_FILTER(
        t ->
            t.checkAndMutate(bytes("a"), new PrefixFilter(bytes("b")))
                .thenPut(put("a", "1"))
                .get()),
    MUTATE_ROW(t -> text(t.mutateRow(both("a")).get())),
    SCAN_ALL(
        t -> text(t.scanAll(new Scan().withStartRow(bytes("b")).withStopRow(bytes("d"))).get())),
    SCAN(t -> text(Consumer.of(t, new Scan(), Integer.MAX_VALUE))),
    SCAN_STOPPED(t -> text(Consumer.of(t, new Scan(), 2))),
    SCANNER(
        t -> {
          try (ResultScanner scanner = t.getScanner(new Scan().setReversed(true))) {
            return text(Stream.of(scanner.next(2)).toList()) + text(scanner.next());
          }
        }),
    SCANNER_OF_COLUMN(
        t -> {
          try (ResultScanner scanner = t.getScanner(F, Q)) {
            return text(Stream.of(scanner.next(9)).toList());
          }
        }),
    BATCH(
        t ->
            text(
                all(
                    t.<Object>batch(
                        List.of(
                            new Get(bytes("a")),
                            put("x", "1"),
                            new Delete(bytes("b")),
                            new Append(bytes("c")).addColumn(F, Q, bytes("+")),
                            check("d", "d"),
                            check("e", "x")))))),
    BATCH_ALL(
        t ->
            text(
                t.<Object>batchAll(
                        List.of(new Increment(bytes("a")).addColumn(F, N, 3), new Get(bytes("b"))))
                    .get())),
    NAME(t -> t.getDescriptor().get().getTableName().equals(t.getName())),
    REGION(
        t ->
            t.getRegionLocator()
                .getRegionLocation(bytes("a"))
                .get()
                .getRegion()
                .getTable()
                .equals(t.getName())),
    TIMEOUTS(
        t ->
            Stream.of(
                    t.getRpcTimeout(TimeUnit.NANOSECONDS),
                    t.getReadRpcTimeout(TimeUnit.NANOSECONDS),
                    t.getWriteRpcTimeout(TimeUnit.NANOSECONDS),
                    t.getOperationTimeout(TimeUnit.NANOSECONDS),
                    t.getScanTimeout(TimeUnit.NANOSECONDS))
                .allMatch(nanos -> nanos > 0)),
    CONFIGURATION(t -> t.getConfiguration().get("hbase.zookeeper.quorum"));

    private final Calls calls;

    Case(Calls calls) {
      this.calls = calls;
    }
  }

  @ParameterizedTest
  @EnumSource
  void eachMethodDoesWhatHBasesDoes(Case method, LamponeClient client, EmbeddedLampone cluster)
      throws Exception {
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try (AsyncConnection plain =
        ConnectionFactory.createAsyncConnection(cluster.configuration()).get()) {
      TableName expected = TableName.valueOf("async-plain");
      TableName actual = TableName.valueOf("async-ours");
      if (!plain.getAdmin().tableExists(expected).get()) {
        plain
            .getAdmin()
            .createTable(
                TableDescriptorBuilder.newBuilder(expected)
                    .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
                    .build(),
                new byte[][] {bytes("c")})
            .get();
        client
            .admin()
            .createTable(
                TableDescriptorBuilder.newBuilder(actual)
                    .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
                    .build(),
                ConflictLevel.ROW,
                new byte[][] {bytes("c")});
      }
      AsyncTable<ScanResultConsumer> hbase = plain.getTable(expected, pool);
      fill(hbase);
      AsyncTransaction filling = client.beginAsync(TransactionOptions.DEFAULT).get();
      fill(filling.table(actual));
      filling.commit().get();

      AsyncTransaction tx = client.beginAsync(TransactionOptions.DEFAULT).get();
      assertThat(method.calls.on(tx.table(actual))).isEqualTo(method.calls.on(hbase));
      List<String> rows = text(hbase.scanAll(new Scan()).get());
      assertThat(text(tx.table(actual).scanAll(new Scan()).get())).isEqualTo(rows);
      tx.commit().get();
      AsyncTransaction after = client.beginAsync(TransactionOptions.DEFAULT).get();
      assertThat(text(after.table(actual).scanAll(new Scan()).get())).isEqualTo(rows);
      after.rollback().get();
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void aBatchThatFailsTellsHowFarItCame(LamponeClient client, EmbeddedLampone cluster)
      throws Exception {
    AsyncTransaction tx = begin(client, "async-batch");
    List<CompletableFuture<Object>> results =
        tx.table("async-batch")
            .batch(
                List.of(put("a", "1"), new Put(bytes("b")).addColumn(F, Q, 7, Q), put("c", "3")));

    assertThat(text(results.get(0).get())).isEqualTo("-");
    assertThatThrownBy(() -> results.get(1).get())
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(LamponeException.class);
    assertThat(results.get(2)).isCompletedExceptionally();
    assertThat(text(tx.table("async-batch").scanAll(new Scan()).get())).containsExactly("a/q=1 ");
    tx.rollback().get();
  }

  @Test
  void aScannerEndsWithItsTransaction_orWithARollbackToASavepoint(
      LamponeClient client, EmbeddedLampone cluster) throws Exception {
    AsyncTransaction tx = begin(client, "async-scanner");
    AsyncTable<ScanResultConsumer> table = tx.table("async-scanner");
    Savepoint savepoint = tx.savepoint().get();
    table.putAll(List.of(put("a", "1"), put("b", "2"))).get();

    ResultScanner undone = table.getScanner(new Scan());
    assertThat(undone.next()).isNotNull();
    tx.rollbackTo(savepoint).get();
    assertThatThrownBy(undone::next).hasMessageContaining("savepoint");

    table.put(put("c", "3")).get();
    ResultScanner ended = table.getScanner(new Scan());
    tx.commit().get();
    assertThatThrownBy(ended::next).hasMessageStartingWith("LP-403");
    assertThatThrownBy(() -> table.getDescriptor().get()).cause().hasMessageStartingWith("LP-403");
    assertThatThrownBy(() -> table.getScanner(new Scan()))
        .hasMessageContaining("the transaction has ended");
  }

  @Test
  void whatAConsumerThrowsIsWhatItsScanEndsWith(LamponeClient client, EmbeddedLampone cluster)
      throws Exception {
    AsyncTransaction filling = begin(client, "async-consumer");
    fill(filling.table("async-consumer"));
    filling.commit().get();
    AtomicInteger attempts = new AtomicInteger();
    // Its onNext throws: the list takes no rows.
    Consumer throwing = new Consumer(List.of(), 1, new CompletableFuture<>());

    CompletableFuture<List<Result>> running =
        client.runAsync(
            TransactionOptions.DEFAULT,
            tx -> {
              attempts.incrementAndGet();
              tx.table("async-consumer").scan(new Scan(), throwing);
              return throwing.end;
            });

    assertThat(running)
        .failsWithin(Duration.ofMinutes(1))
        .withThrowableThat()
        .withCauseInstanceOf(UnsupportedOperationException.class);
    assertThat(attempts).hasValue(1);
  }

  @Test
  void servicesOfCoprocessorsAreRefused(LamponeClient client, EmbeddedLampone cluster)
      throws Exception {
    AsyncTransaction tx = begin(client, "async-services");
    assertThatThrownBy(
            () ->
                tx.table("async-services")
                    .coprocessorService(channel -> channel, (stub, controller, done) -> {}, Q))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("no part of a transaction");
    tx.rollback().get();
  }

  private static AsyncTransaction begin(LamponeClient client, String table)
      throws IOException, InterruptedException, ExecutionException {
    client
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(TableName.valueOf(table))
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
                .build(),
            ConflictLevel.ROW);
    return client.beginAsync(TransactionOptions.DEFAULT).get();
  }

  private static void fill(AsyncTable<?> table) throws InterruptedException, ExecutionException {
    table.delete(new Delete(bytes("x"))).get();
    for (String row : List.of("a", "b", "c", "d", "e")) {
      table.delete(new Delete(bytes(row)).addColumns(F, N)).get();
      table.put(put(row, row)).get();
    }
  }

  private static Put put(String row, String value) {
    return new Put(bytes(row)).addColumn(F, Q, bytes(value));
  }

  private static CheckAndMutate check(String row, String value) {
    return CheckAndMutate.newBuilder(bytes(row)).ifEquals(F, Q, bytes(value)).build(put(row, "!"));
  }

  private static RowMutations both(String row) throws IOException {
    RowMutations both = new RowMutations(bytes(row));
    both.add(put(row, "1"));
    both.add(new Put(bytes(row)).addColumn(F, N, Bytes.toBytes(2L)));
    return both;
  }

  private static <T> List<T> all(List<CompletableFuture<T>> futures)
      throws InterruptedException, ExecutionException {
    List<T> all = new ArrayList<>();
    for (CompletableFuture<T> future : futures) {
      all.add(future.get());
    }
    return all;
  }

  private static List<String> text(List<?> results) {
    return results.stream().map(AsyncTablesIT::text).toList();
  }

  private static String text(Object result) {
    if (result instanceof CheckAndMutateResult checked) {
      return checked.isSuccess() + " " + text(checked.getResult());
    }
    if (!(result instanceof Result row) || row.isEmpty()) {
      return "-";
    }
    StringBuilder text = new StringBuilder();
    for (Cell cell : row.rawCells()) {
      text.append(Bytes.toString(cell.getRowArray(), cell.getRowOffset(), cell.getRowLength()))
          .append('/')
          .append(
              Bytes.toString(
                  cell.getQualifierArray(), cell.getQualifierOffset(), cell.getQualifierLength()))
          .append('=')
          .append(
              Bytes.toStringBinary(
                  cell.getValueArray(), cell.getValueOffset(), cell.getValueLength()))
          .append(' ');
    }
    return text.toString();
  }

  /** Collects the results of a scan, up to a number of rows. */
  private record Consumer(List<Result> rows, int limit, CompletableFuture<List<Result>> end)
      implements ScanResultConsumer {

    static List<Result> of(AsyncTable<ScanResultConsumer> table, Scan scan, int limit)
        throws InterruptedException, ExecutionException {
      Consumer consumer = new Consumer(new ArrayList<>(), limit, new CompletableFuture<>());
      table.scan(scan, consumer);
      return consumer.end.get();
    }

    @Override
    public boolean onNext(Result result) {
      rows.add(result);
      return rows.size() < limit;
    }

    @Override
    public void onError(Throwable failure) {
      end.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
      end.complete(rows);
    }
  }
}
