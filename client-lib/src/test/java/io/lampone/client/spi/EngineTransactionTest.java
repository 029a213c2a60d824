package io.lampone.client.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.CommitOutcomeUnknownException;
import io.lampone.client.Fakes;
import io.lampone.client.LamponeException;
import io.lampone.client.TransactionOptions;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.OpenTransaction.Write;
import io.lampone.client.core.TransactionMode;
import io.lampone.client.core.hold.HoldKeeper;
import io.lampone.client.core.slow.TransactionTrace;
import io.lampone.client.hbase.HBaseTransaction;
import io.lampone.client.hbase.WriteTranslator;
import io.lampone.hbase.Carrier;
import io.lampone.hbase.RefusalException;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.UndecidedIntents;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AbstractClientScanner;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.exceptions.ScannerResetException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
class EngineTransactionTest {

  private static final RowFamily PLACE = new RowFamily("t", Bytes.utf8("r"), Bytes.utf8("f"));

  private static final byte[] ROW = {'r'};

  private final Fakes fakes = new Fakes();
  private final HoldKeeper holds = Fakes.holds();
  private final OpenTransaction open =
      new OpenTransaction(
          fakes.begin().join(),
          new TransactionMode(false, true, false),
          fakes.services(),
          SystemClock.INSTANCE.monotonicNanos() + TimeUnit.MINUTES.toNanos(1));

  @Test
  void anInterruptInsideCommitLeavesTheOutcomeUnknownAndTheFlagSet() throws IOException {
    EngineTransaction transaction = begin(Duration.ofSeconds(10));
    write();
    fakes.hangAtCommit();
    Thread.currentThread().interrupt();

    assertThatThrownBy(transaction::commit)
        .isInstanceOfSatisfying(CommitOutcomeUnknownException.class, this::namesTheTransaction)
        .hasMessageStartingWith("LP-201")
        .hasCauseInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void aCommitThatDoesNotEndInTimeIsUnknownToo() throws IOException {
    EngineTransaction transaction = begin(Duration.ofMillis(20));
    write();
    fakes.hangAtCommit();

    assertThatThrownBy(transaction::commit)
        .isInstanceOfSatisfying(CommitOutcomeUnknownException.class, this::namesTheTransaction)
        .hasCauseInstanceOf(LamponeException.class);
  }

  /** Nothing was written: nothing is in doubt. */
  @Test
  void anInterruptBeforeAnythingWasWrittenLeavesNothingUnknown() throws IOException {
    EngineTransaction transaction = begin(Duration.ofSeconds(10));
    Thread.currentThread().interrupt();

    transaction.commit();

    assertThat(Thread.interrupted()).isTrue();
    assertThat(open.id()).isEmpty();
  }

  /** A region closes while a scanner reads, in its first call and after a row. */
  @Test
  void aScanThatLosesItsScannerContinuesBehindItsLastRow() throws IOException {
    List<Scan> scans = new ArrayList<>();
    Table table =
        (Table)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Table.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("getName")) {
                    return TableName.valueOf("t");
                  }
                  scans.add((Scan) arguments[0]);
                  return new LosingScanner(scans.size() == 1 ? 0 : 1);
                });

    try (ResultScanner scanner =
        begin(Duration.ofSeconds(10)).getScanner(table, new Scan(), 0, true)) {
      assertThat(scanner.next().getRow()).isEqualTo(ROW);
      assertThat(scanner.next().getRow()).isEqualTo(ROW);
    }

    assertThat(scans).hasSize(3);
    assertThat(scans.get(1).getStartRow()).isEmpty();
    assertThat(scans.get(2).getStartRow()).isEqualTo(ROW);
    assertThat(scans.get(2).includeStartRow()).isFalse();
  }

  /** The judgments of some fifty of them fit into a request. */
  @Test
  void aScanGetsPastManyTransactionsWithLongNames() throws IOException {
    AtomicInteger returned = new AtomicInteger();
    Table table =
        (Table)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Table.class},
                (proxy, method, arguments) ->
                    method.getName().equals("getName")
                        ? TableName.valueOf("t")
                        : new RefusingScanner((Scan) arguments[0], returned));

    try (ResultScanner scanner =
        begin(Duration.ofSeconds(10)).getScanner(table, new Scan(), 0, true)) {
      for (int i = 0; i < 120; i++) {
        assertThat(scanner.next()).as("row %d", i).isNotNull();
      }
    }
  }

  /** Finds the next row if the request judges its transaction, and is refused otherwise. */
  private static final class RefusingScanner extends AbstractClientScanner {

    private final Scan scan;
    private final AtomicInteger returned;

    RefusingScanner(Scan scan, AtomicInteger returned) {
      this.scan = scan;
      this.returned = returned;
    }

    @Override
    public Result next() throws IOException {
      byte[] row = String.format("%05000d", returned.get()).getBytes(StandardCharsets.UTF_8);
      RowFamily leader = new RowFamily("t", Bytes.wrap(row), PLACE.family());
      TransactionId id = new TransactionId(Timestamps.PLAIN_LIMIT, leader);
      if (!Carrier.readRequest(scan).orElseThrow().judgments().containsKey(id)) {
        throw new RefusalException(
            new UndecidedIntents(
                    List.of(
                        new UndecidedIntents.Met(
                            id.startTimestamp(),
                            leader.row(),
                            leader.family(),
                            leader.family(),
                            Optional.empty())))
                .refusal());
      }
      returned.incrementAndGet();
      return Result.create(List.of(new KeyValue(row, ROW, ROW)));
    }

    @Override
    public void close() {}

    @Override
    public boolean renewLease() {
      return true;
    }
  }

  @Test
  void aScanThatCannotContinueBehindARowFailsIfItLosesItsScannerThere() throws IOException {
    Table table =
        (Table)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Table.class},
                (proxy, method, arguments) ->
                    method.getName().equals("getName")
                        ? TableName.valueOf("t")
                        : new LosingScanner(1));

    try (ResultScanner scanner =
        begin(Duration.ofSeconds(10)).getScanner(table, new Scan(), 0, false)) {
      assertThat(scanner.next().getRow()).isEqualTo(ROW);
      assertThatThrownBy(scanner::next).isInstanceOf(ScannerResetException.class);
    }
  }

  /** Phoenix reads old rows of an indexed table to the end, and does not close that scanner. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aScannerThatHasFailedOrWasReadToTheEndHoldsNoSnapshot(boolean fails) throws IOException {
    Table table =
        (Table)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Table.class},
                (proxy, method, arguments) ->
                    method.getName().equals("getName")
                        ? TableName.valueOf("t")
                        : new LosingScanner(1));
    EngineTransaction transaction = begin(Duration.ofSeconds(10));
    int before = holds.olderThan(Duration.ZERO).size();

    ResultScanner scanner =
        transaction.getScanner(table, new Scan().setLimit(fails ? 2 : 1), 0, false);
    assertThat(scanner.next().getRow()).isEqualTo(ROW);
    assertThat(holds.olderThan(Duration.ZERO)).hasSize(before + 1);
    if (fails) {
      assertThatThrownBy(scanner::next).isInstanceOf(ScannerResetException.class);
    } else {
      assertThat(scanner.next()).isNull();
    }

    assertThat(holds.olderThan(Duration.ZERO)).hasSize(before);
  }

  /** Finds the same row several times, and is lost then. */
  private static final class LosingScanner extends AbstractClientScanner {

    private int left;

    LosingScanner(int rows) {
      left = rows;
    }

    @Override
    public Result next() throws IOException {
      if (left-- == 0) {
        throw new ScannerResetException("Scanner is closed on the server-side");
      }
      return Result.create(List.of(new KeyValue(ROW, ROW, ROW)));
    }

    @Override
    public void close() {}

    @Override
    public boolean renewLease() {
      return true;
    }
  }

  private void namesTheTransaction(CommitOutcomeUnknownException unknown) {
    assertThat(open.id()).isPresent();
    assertThat(unknown.transactionId()).isEqualTo(open.id());
  }

  private EngineTransaction begin(Duration longestWait) throws IOException {
    HBaseTransaction.Context context =
        new HBaseTransaction.Context(
            Fakes.withoutServers(),
            Fakes.noTables(),
            new WriteTranslator(1000),
            holds,
            Fakes.neverSlow(),
            1000);
    HBaseTransaction begun =
        new HBaseTransaction(
            open,
            context,
            context.holds().begun(1, Duration.ZERO, Long.MAX_VALUE),
            TransactionTrace.NONE);
    return new TransactionEngine(
            options -> CompletableFuture.completedFuture(begun),
            (timestamp, options) -> begun,
            fakes::begin,
            (fence, table) -> CompletableFuture.completedFuture(null),
            (table, floor) -> {},
            longestWait)
        .begin(TransactionOptions.DEFAULT);
  }

  private void write() {
    Fakes.withoutServers()
        .driver()
        .start(
            open.write(
                ConflictLevel.ROW,
                PLACE,
                List.of(
                    new Write(
                        IntentKind.PUT,
                        Bytes.utf8("q"),
                        Bytes.utf8("v"),
                        FamilyRetention.FOREVER))))
        .join();
  }
}
