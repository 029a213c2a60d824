package io.lampone.embedded;

import static io.lampone.embedded.Layout.FAMILY;
import static io.lampone.embedded.RangeCases.GENERAL;
import static io.lampone.embedded.RangeCases.SERIALIZABLE;
import static io.lampone.embedded.RangeCases.put;
import static io.lampone.embedded.RangeCases.read;
import static io.lampone.embedded.RangeCases.take;
import static io.lampone.embedded.RangeCases.until;
import static io.lampone.embedded.RunningCluster.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lampone.client.AsyncTransaction;
import io.lampone.client.ConflictException;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.ScanResultConsumer;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Parts of a range that a scan of a serializable transaction has looked at, as far as the
 * application was shown them; and regions that split, move and merge meanwhile.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SerializableScansIT {

  private static final int ROUNDS = 10;

  private final EmbeddedLampone cluster;
  private final LamponeClient client;
  private Connection hbase;
  private RangeCases cases;

  SerializableScansIT(EmbeddedLampone cluster, LamponeClient client) {
    this.cluster = cluster;
    this.client = client;
  }

  @BeforeAll
  void connect() throws IOException {
    hbase = ConnectionFactory.createConnection(cluster.configuration());
    cases = new RangeCases(client, hbase);
  }

  @AfterAll
  void disconnect() throws IOException {
    hbase.close();
  }

  /** Rows b and d are looked at, or only one of them. */
  private record Look(String name, Reading reading, String seen, String unseen) {}

  private interface Reading {
    void read(Transaction transaction, TableName table) throws Exception;
  }

  private static List<Look> looks() {
    Scan all = new Scan().withStartRow(bytes("a")).withStopRow(bytes("f"));
    Scan back = new Scan().withStartRow(bytes("e")).withStopRow(bytes("a")).setReversed(true);
    return List.of(
        new Look("closed after two", (tx, t) -> take(tx, t, all, 2), "b", "d"),
        new Look("closed after two: between", (tx, t) -> take(tx, t, all, 2), "aa", "bb"),
        new Look("reversed", (tx, t) -> take(tx, t, back, 2), "d", "b"),
        new Look("limited", (tx, t) -> read(tx, t, new Scan(all).setLimit(2)), "b", "d"),
        new Look("reversed, limited", (tx, t) -> read(tx, t, new Scan(back).setLimit(2)), "d", "b"),
        new Look("batches", (tx, t) -> take(tx, t, new Scan(all).setBatch(1), 4), "b", "d"),
        new Look(
            "partial results",
            (tx, t) -> take(tx, t, new Scan(all).setAllowPartialResults(true), 2),
            "b",
            "d"),
        new Look("to its end", (tx, t) -> read(tx, t, until("c", false)), "bb", "c"),
        new Look("with the last row", (tx, t) -> read(tx, t, until("c", true)), "c", "cc"),
        new Look("an absent last row", (tx, t) -> read(tx, t, until("cc", true)), "cc", "d"),
        new Look(
            "nothing passes the filter",
            (tx, t) ->
                read(
                    tx,
                    t,
                    until("c", false)
                        .setFilter(
                            new ValueFilter(
                                CompareOperator.EQUAL, new BinaryComparator(bytes("never"))))),
            "b",
            "d"),
        new Look(
            "one family", (tx, t) -> read(tx, t, until("c", false).addFamily(FAMILY)), "b", "d"),
        new Look("without a look", (tx, t) -> tx.table(t).getScanner(all).close(), "", "b"));
  }

  @ParameterizedTest
  @EnumSource
  void aScanCoversWhatItHasShown(ConflictLevel level) throws Exception {
    TableName table = cases.table("r_looks_" + level, level, false);
    for (Look look : looks()) {
      for (RangeCases.Writer writer :
          List.of(RangeCases.Writer.REGULAR, RangeCases.Writer.FAST_PATH)) {
        for (String row : List.of("a", "b", "c", "d", "e")) {
          cases.put(table, row, 1);
        }
        try (Transaction tx = client.begin(GENERAL)) {
          look.reading().read(tx, table);
          cases.change(writer, table, look.unseen(), false);
          cases.write(tx, table);
          tx.commit();
        } catch (ConflictException e) {
          throw new AssertionError("needless conflict: " + look.name() + ", " + writer, e);
        }
        cases.change(writer, table, look.unseen(), true);
        if (!look.seen().isEmpty()) {
          try (Transaction tx = client.begin(GENERAL)) {
            look.reading().read(tx, table);
            cases.change(writer, table, look.seen(), false);
            cases.write(tx, table);
            assertThatExceptionOfType(ConflictException.class)
                .as(look.name())
                .isThrownBy(tx::commit);
          }
          cases.change(writer, table, look.seen(), true);
        }
      }
    }
  }

  @Test
  void theAsynchronousFormsAreRecordedToo() throws Exception {
    TableName table = cases.table("r_async", ConflictLevel.ROW, true);
    for (String row : List.of("a", "b", "n", "o")) {
      cases.put(table, row, 1);
    }
    AtomicInteger shown = new AtomicInteger();
    List<AsyncReading> readings =
        List.of(
            tx -> tx.table(table).scanAll(new Scan().withStopRow(bytes("z")).setLimit(3)),
            tx -> {
              CompletableFuture<Void> end = new CompletableFuture<>();
              shown.set(0);
              tx.table(table).scan(new Scan().withStopRow(bytes("z")), first(3, shown, end));
              return end;
            });
    for (AsyncReading reading : readings) {
      for (String row : List.of("n", "o")) {
        AsyncTransaction tx = client.beginAsync(GENERAL).get(1, TimeUnit.MINUTES);
        reading.read(tx).get(1, TimeUnit.MINUTES);
        client.fastPath().table(table).put(put(row, 2));
        tx.table(table).put(put(cases.aside(), 1)).get(1, TimeUnit.MINUTES);
        CompletableFuture<Void> committing = tx.commit();
        if (row.equals("o")) {
          committing.get(1, TimeUnit.MINUTES);
        } else {
          assertThat(committing)
              .failsWithin(java.time.Duration.ofMinutes(1))
              .withThrowableThat()
              .havingCause()
              .isInstanceOf(ConflictException.class);
        }
      }
    }
    assertThat(shown).hasValue(3);
  }

  private interface AsyncReading {
    CompletableFuture<?> read(AsyncTransaction transaction);
  }

  private static ScanResultConsumer first(
      int wanted, AtomicInteger shown, CompletableFuture<Void> end) {
    return new ScanResultConsumer() {
      @Override
      public boolean onNext(Result result) {
        return shown.incrementAndGet() < wanted;
      }

      @Override
      public void onComplete() {
        end.complete(null);
      }

      @Override
      public void onError(Throwable error) {
        end.completeExceptionally(error);
      }
    };
  }

  /** Of several transactions that insert a name unless it exists only one commits. */
  @Test
  void aUniqueKeyByScanAndInsert() throws Exception {
    insertUniqueKeys(cases.table("r_unique", ConflictLevel.ROW, true));
  }

  private void insertUniqueKeys(TableName table) throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      String name = "name" + round;
      List<CompletableFuture<Void>> inserting = new ArrayList<>();
      for (String user : List.of("1", "2", "3")) {
        inserting.add(insertUnless(table, name, user));
      }
      for (CompletableFuture<Void> one : inserting) {
        one.get(1, TimeUnit.MINUTES);
      }
      Scan taken = new Scan().withStartRow(bytes(name + "/")).withStopRow(bytes(name + "0"));
      List<String> found = client.run(tx -> read(tx, table, taken));
      assertThat(found).as("round %s", round).hasSize(1);
    }
  }

  private CompletableFuture<Void> insertUnless(TableName table, String name, String user) {
    Scan taken = new Scan().withStartRow(bytes(name + "/")).withStopRow(bytes(name + "0"));
    return client.runAsync(
        SERIALIZABLE,
        tx ->
            tx.table(table)
                .scanAll(taken)
                .thenCompose(
                    found ->
                        found.isEmpty()
                            ? tx.table(table).put(put(name + "/" + user, 1))
                            : CompletableFuture.completedFuture(null)));
  }

  @Test
  void theRangeMayBeSplitMovedAndMergedInBetween() throws Exception {
    TableName table = cases.table("r_moves", ConflictLevel.ROW, false);
    cases.put(table, "b", 1);
    cases.put(table, "t", 1);
    Scan range = new Scan().withStartRow(bytes("a")).withStopRow(bytes("y"));
    for (RangeCases.Change change : regionChanges(table)) {
      try (Transaction tx = client.begin(GENERAL)) {
        assertThat(read(tx, table, range)).containsExactly("b", "t");
        change.run();
        cases.write(tx, table);
        tx.commit();
      }
    }
    TableName other = cases.table("r_moves_after", ConflictLevel.ROW, false);
    for (RangeCases.Change change : regionChanges(other)) {
      for (String row : List.of("c", "u")) {
        cases.conflicts(
            other,
            "a birth before the regions change",
            range,
            () -> {
              cases.change(RangeCases.Writer.FAST_PATH, other, row, false);
              if (row.equals("c")) {
                change.run();
              }
            });
        cases.change(RangeCases.Writer.FAST_PATH, other, row, true);
      }
    }
  }

  /** Its scanner is open when the region moves; versions written at its new server are above. */
  @Test
  void theRegionMovesWhileItIsCertified() throws Exception {
    TableName table = cases.table("r_moves_within", ConflictLevel.ROW, false);
    FaultyObserver.install(hbase, table);
    cases.put(table, "b", 1);
    Faults.Gate gate = new Faults.Gate();
    Faults.Fault holding = holdingScanners(table, gate);
    try (Transaction tx = client.begin(GENERAL)) {
      read(tx, table, until("c", false));
      cases.write(tx, table);
      CompletableFuture<Void> committing;
      long born;
      try (Faults.Active fault = Faults.add(holding)) {
        committing = committing(tx);
        gate.awaitReached();
        move(table);
        born = client.fastPath().table(table).put(put("bb", 2)).version();
        gate.open();
        committing.get(1, TimeUnit.MINUTES);
      }
      assertThat(tx.commitTimestamp().orElseThrow()).isLessThan(born);
    }
  }

  private static Faults.Fault holdingScanners(TableName table, Faults.Gate gate) {
    return new Faults.Fault() {
      @Override
      public void scannerOpened(RegionInfo region) throws IOException {
        if (region.getTable().equals(table)) {
          gate.pass();
        }
      }
    };
  }

  private static CompletableFuture<Void> committing(Transaction tx) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            tx.commit();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  /**
   * Longer than readers wait for it, and longer than servers keep readers from aborting it. On a
   * busy machine its client may be too late to say that it certifies.
   */
  @Test
  void aLongCertificationIsNotAbortedByTheReadersThatItHoldsUp() throws Exception {
    TableName scanned = cases.table("r_long", ConflictLevel.ROW, false);
    TableName written = cases.table("r_long_written", ConflictLevel.ROW, false);
    FaultyObserver.install(hbase, scanned);
    cases.put(scanned, "b", 1);
    int attempts = 1;
    while (!commitsBesideAReader(scanned, written)) {
      assertThat(attempts++).isLessThan(10);
    }
  }

  private boolean commitsBesideAReader(TableName scanned, TableName written) throws Exception {
    Faults.Gate gate = new Faults.Gate();
    try (Transaction tx = client.begin(GENERAL)) {
      read(tx, scanned, until("c", false));
      tx.table(written).put(put("row", 2));
      CompletableFuture<Void> committing;
      CompletableFuture<List<String>> reading;
      try (Faults.Active fault = Faults.add(holdingScanners(scanned, gate))) {
        committing = committing(tx);
        gate.awaitReached();
        reading = CompletableFuture.supplyAsync(() -> rowsNow(written));
        Thread.sleep(3_000);
        gate.open();
      }
      List<String> rows = reading.get(1, TimeUnit.MINUTES);
      try {
        committing.get(1, TimeUnit.MINUTES);
      } catch (ExecutionException e) {
        assertThat(e).hasMessageContaining("LP-102");
        assertThat(rows).isEmpty();
        return false;
      }
      assertThat(rows).containsExactly("row");
      return true;
    }
  }

  private List<String> rowsNow(TableName table) {
    try (Transaction tx = client.begin(SERIALIZABLE)) {
      return read(tx, table, new Scan());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<RangeCases.Change> regionChanges(TableName table) {
    return List.of(() -> split(table), () -> move(table), () -> merge(table), () -> {});
  }

  /** Some regions move while they are scanned for a certification. */
  @Test
  void aUniqueKeyWhileRegionsMove() throws Exception {
    TableName table = cases.table("r_unique_moves", ConflictLevel.ROW, true);
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<Void> moving =
        CompletableFuture.runAsync(
            () -> {
              while (!over.get()) {
                try {
                  move(table);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              }
            });
    try {
      insertUniqueKeys(table);
    } finally {
      over.set(true);
    }
    moving.get(1, TimeUnit.MINUTES);
  }

  private void split(TableName table) throws IOException {
    changeRegions(
        table,
        admin -> {
          RegionInfo region = admin.getRegions(table).get(0);
          admin.splitRegionAsync(region.getRegionName(), bytes("m")).get(1, TimeUnit.MINUTES);
        });
  }

  private void move(TableName table) throws IOException {
    changeRegions(
        table,
        admin -> {
          for (RegionInfo region : admin.getRegions(table)) {
            cluster.hbase().moveRegion(region, 1 - cluster.hbase().regionServerOf(region));
          }
        });
  }

  private void merge(TableName table) throws IOException {
    changeRegions(
        table,
        admin -> {
          byte[][] names =
              admin.getRegions(table).stream()
                  .map(RegionInfo::getEncodedNameAsBytes)
                  .toArray(byte[][]::new);
          admin.mergeRegionsAsync(names, true).get(1, TimeUnit.MINUTES);
        });
  }

  private interface RegionChange {
    void run(Admin admin) throws Exception;
  }

  private void changeRegions(TableName table, RegionChange change) throws IOException {
    try (Admin admin = hbase.getAdmin()) {
      change.run(admin);
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException("regions could not be changed, table=" + table, e);
    }
    cluster.hbase().waitUntilAssigned(table);
  }
}
