package io.lampone.coprocessor;

import static io.lampone.coprocessor.FastTable.F;
import static io.lampone.coprocessor.FastTable.Q;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.protobuf.Message;
import com.google.protobuf.Service;
import io.lampone.coprocessor.core.RegionServerSettings;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.request.FastCondition.Unchanged;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastReply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.PackagePrivateFieldAccessor;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.coprocessor.MultiRowMutationEndpoint;
import org.apache.hadoop.hbase.protobuf.generated.MultiRowMutationProtos;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.wal.WALActionsListener;
import org.apache.hadoop.hbase.wal.WAL;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/** What an unmodified HBase client may ask for, and must neither weaken nor suffer from. */
@ExtendWith(ClusterExtension.class)
class PlainClientPromisesIT {

  private static final byte[] FAMILY = F.toArray();
  private static final byte[] COLUMN = Q.toArray();
  private static final byte[] OTHER = {'o'};
  private static final byte[] ROW = {'r', '1'};
  private static final byte[] ROW2 = {'r', '2'};

  /** Each has a column of this name. */
  private static final List<String> WRITERS = List.of("p0", "p1");

  private final TinyCluster cluster;
  private final long base;

  private TestTable table;
  private FastTable fast;
  private Table plain;

  PlainClientPromisesIT(TinyCluster cluster) {
    this.cluster = cluster;
    this.base = cluster.ticks().next();
  }

  @BeforeEach
  void createTable(TestInfo test) throws Exception {
    cluster.publish(Ticks.record(base, base));
    table = new TestTable(cluster.connection(), "pp-" + test.getTestMethod().get().getName());
    table.createPlain(null, "f", "g");
    table.enable(
        new TableSettings(
            TableSettings.Phase.ENABLED,
            ConflictLevel.ROW,
            base,
            true,
            TableSettings.PlainClients.FAST_PATH));
    fast = new FastTable(cluster, table, base);
    fast.put(Bytes.utf8("warm"), "v");
    plain = cluster.connection().getTable(table.name());
  }

  /** It may be of a connection of the server to itself, in the name of the server's user. */
  @Test
  void inATableOfPhoenixAWriteWithoutACallIsRefused() throws Exception {
    table.enable(TableSettings.ofPhoenix(base));
    HRegion region = new FastTable(cluster, table, base).region();
    assertThatThrownBy(() -> region.put(new Put(ROW).addColumn(FAMILY, COLUMN, new byte[] {1})))
        .hasStackTraceContaining("PLAIN_CLIENT");
  }

  /** Phoenix would replace the filter that decides what may be seen. */
  @Test
  void aScanThatRebuildsIndexesIsRefused() throws Exception {
    Scan rebuild = new Scan().setAttribute("_RebuildIndexes", new byte[] {1});
    assertThatThrownBy(() -> plain.getScanner(rebuild).next())
        .hasStackTraceContaining("UNSUPPORTED");
  }

  /** A time range that ends with a transaction's timestamp is its snapshot; another means now. */
  @Test
  void aTimeRangeOfPhoenixIsASnapshot() throws Exception {
    table.enable(TableSettings.ofPhoenix(base));
    Bytes row = Bytes.of(ROW);
    fast.put(row, "old");
    final long start = cluster.ticks().next();
    final long between = cluster.ticks().next();
    assertThat(fast.snapshot(row, between)).containsExactly("old");
    fast.put(row, "new");
    assertThat(plainScan(between)).containsExactly("old");
    assertThat(plainScan(System.currentTimeMillis())).containsExactly("new");
    assertThat(plainScan(Long.MAX_VALUE)).containsExactly("new");

    Bytes row2 = Bytes.of(ROW2);
    table.send(fast.flush(start, row2));
    assertThat(plainScan(Long.MAX_VALUE)).containsExactly("new");
    Scan undecided = rows().setTimeRange(0, between);
    assertThatThrownBy(() -> fast.region().getCoprocessorHost().preScannerOpen(rows().setRaw(true)))
        .hasStackTraceContaining("UNSUPPORTED");
    assertThat(readsNow(undecided)).isInstanceOf(RegionTooBusyException.class);
    table.send(TestTable.commit(start, base, row2, F, cluster.ticks().next()));
    assertThat(plainScan(between)).containsExactly("old");
    assertThat(plainScan(Long.MAX_VALUE)).containsExactly("new", "tentative");
  }

  private static Scan rows() {
    return new Scan().withStartRow(ROW).withStopRow(ROW2, true);
  }

  private List<String> plainScan(long end) throws IOException {
    List<String> texts = new ArrayList<>();
    try (ResultScanner scanner = plain.getScanner(rows().setTimeRange(0, end))) {
      for (Result row : scanner) {
        texts.addAll(FastTable.texts(row));
      }
    }
    return texts;
  }

  /** Reads as a region does it, without the client that comes again. */
  private Throwable readsNow(Scan scan) throws IOException {
    fast.region().getCoprocessorHost().preScannerOpen(scan);
    try (RegionScanner scanner = fast.region().getScanner(scan)) {
      return catchThrowable(
          () -> {
            List<Cell> cells = new ArrayList<>();
            while (scanner.nextRaw(cells)) {
              cells.clear();
            }
          });
    }
  }

  @AfterEach
  void close() throws Exception {
    plain.close();
  }

  /**
   * E8: an ordinary batch holds the locks of its rows shared. Conditional writes copy what they
   * have read of both writers: nothing of theirs has come between.
   */
  @Test
  void whatABatchWritesUnderSharedLocksNoConditionalWriteOverlooks() throws Exception {
    List<byte[]> hot = List.of(value("h0"), value("h1"), value("h2"));
    AtomicBoolean stop = new AtomicBoolean();
    AtomicInteger refused = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<Integer>> blind = new ArrayList<>();
      for (String column : WRITERS) {
        Callable<Integer> writer = () -> putBatches(hot, column, stop);
        blind.add(threads.submit(writer));
      }
      List<Future<Void>> conditional = new ArrayList<>();
      for (int c = 0; c < 2; c++) {
        conditional.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < 60; i++) {
                    copy(Bytes.of(hot.get(i % hot.size())), refused);
                  }
                  return null;
                }));
      }
      for (Future<Void> copies : conditional) {
        copies.get();
      }
      stop.set(true);
      assertThat(refused).as("none has met a batch: this shows nothing").hasPositiveValue();
      for (int w = 0; w < WRITERS.size(); w++) {
        int last = blind.get(w).get();
        assertThat(last).isPositive();
        for (byte[] row : hot) {
          assertThat(versions(row, WRITERS.get(w)).values())
              .containsExactlyElementsOf(
                  IntStream.rangeClosed(1, last).mapToObj(String::valueOf).toList());
        }
      }
    } finally {
      stop.set(true);
      threads.shutdownNow();
    }
    int copies = 0;
    for (byte[] row : hot) {
      List<NavigableMap<Long, String>> written =
          WRITERS.stream().map(column -> uncheckedVersions(row, column)).toList();
      for (Map.Entry<Long, String> copy : versions(row, "c").entrySet()) {
        assertThat(copy.getValue()).isEqualTo(at(written, copy.getKey()));
        copies++;
      }
    }
    assertThat(copies).isEqualTo(120);
  }

  /** Puts 1, 2, 3 and so on in a column of its own in all rows, each in one batch. */
  private int putBatches(List<byte[]> rows, String column, AtomicBoolean stop) throws IOException {
    int number = 0;
    try (Table own = cluster.connection().getTable(table.name())) {
      while (!stop.get()) {
        String text = String.valueOf(number + 1);
        own.put(
            rows.stream()
                .map(row -> new Put(row).addColumn(FAMILY, value(column), value(text)))
                .toList());
        number++;
      }
    }
    return number;
  }

  /** Reads what the writers have put, and writes it if nothing has changed; until that holds. */
  private void copy(Bytes row, AtomicInteger refused) throws IOException {
    while (true) {
      FastTable.Seen seen =
          fast.get(
              new Get(row.toArray())
                  .addColumn(FAMILY, value(WRITERS.get(0)))
                  .addColumn(FAMILY, value(WRITERS.get(1))),
              FastReadRequest.of(0, 0, true));
      if (seen.cells().size() == WRITERS.size()) {
        Mutation put =
            new Mutation(
                FastOperation.Kind.PUT,
                F,
                Bytes.utf8("c"),
                Bytes.utf8(String.join(" ", seen.cells())));
        Unchanged unchanged = new Unchanged(seen.reply().version(), List.of());
        if (fast.run(fast.operation(row, unchanged, put)).kind() == FastReply.Kind.COMMITTED) {
          return;
        }
        refused.incrementAndGet();
      }
    }
  }

  /** What the columns held just below a version. */
  private static String at(List<NavigableMap<Long, String>> written, long version) {
    return written.stream()
        .map(versions -> versions.lowerEntry(version).getValue())
        .collect(Collectors.joining(" "));
  }

  private NavigableMap<Long, String> uncheckedVersions(byte[] row, String column) {
    try {
      return versions(row, column);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All versions of a column, as they are stored. */
  private NavigableMap<Long, String> versions(byte[] row, String column) throws IOException {
    NavigableMap<Long, String> versions = new TreeMap<>();
    Scan scan = new Scan().withStartRow(row).withStopRow(row, true).readAllVersions();
    try (RegionScanner scanner = fast.region().getScanner(scan.addColumn(FAMILY, value(column)))) {
      List<Cell> cells = new ArrayList<>();
      scanner.next(cells);
      for (Cell cell : cells) {
        versions.put(cell.getTimestamp(), new String(CellUtil.cloneValue(cell), UTF_8));
      }
    }
    return versions;
  }

  /** What snapshots and transactions are shown must not vanish in a crash, whoever wrote it. */
  @Test
  void whatIsShownAsCommittedIsLoggedWhateverTheWriterWants() throws Exception {
    Logged logged = new Logged();
    WAL log = fast.region().getWAL();
    log.registerWALActionsListener(logged);
    try {
      Put first = new Put(ROW).addColumn(FAMILY, COLUMN, value("a"));
      Put second = new Put(ROW).addColumn(FAMILY, OTHER, value("b"));
      plain.batch(List.of(first.setDurability(Durability.SKIP_WAL), second), new Object[2]);
      plain.put(
          new Put(ROW2).addColumn(FAMILY, COLUMN, value("c")).setDurability(Durability.SKIP_WAL));
    } finally {
      log.unregisterWALActionsListener(logged);
    }
    assertThat(get(ROW)).containsExactly("b", "a");
    assertThat(logged.values).contains("a", "b", "c");
  }

  /** The values of all cells that have been logged. */
  private static final class Logged implements WALActionsListener {

    private final Queue<String> values = new ConcurrentLinkedQueue<>();

    @Override
    public void visitLogEntryBeforeWrite(RegionInfo region, WALKey key, WALEdit edit) {
      edit.getCells().forEach(cell -> values.add(new String(CellUtil.cloneValue(cell), UTF_8)));
    }
  }

  /**
   * The empty column sorts before what is ours, which is read aside, from the files as they were.
   */
  @Test
  void aCompactionUnderAPlainScanIsNotItsEnd() throws Exception {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      byte[] row = value(String.format(Locale.ROOT, "row-%02d", i));
      plain.put(new Put(row).addColumn(FAMILY, new byte[0], value("old")));
      fast.region().flush(true);
      plain.put(new Put(row).addColumn(FAMILY, new byte[0], value("v" + i)));
      all.add("v" + i);
    }
    List<String> seen = new ArrayList<>();
    Scan scan =
        new Scan().withStartRow(value("row-")).setCaching(1).setMaxResultSize(1).readVersions(1);
    try (ResultScanner scanner = plain.getScanner(scan)) {
      for (Result row : scanner) {
        seen.addAll(FastTable.texts(row));
        if (seen.size() == 1) {
          fast.region().flush(true);
          fast.region().compact(true);
        }
      }
    }
    seen.remove("v"); // of the row "warm"
    assertThat(seen).isEqualTo(all);
  }

  /**
   * A client whose scanner was closed under it opens another one at the read point of the first,
   * which nobody has kept: what an intent there was decided by may be younger, and the intent as it
   * was then is gone with a flush.
   */
  @Test
  void aScannerThatIsOpenedAgainDoesNotReadWhatNobodyHasKept() throws Exception {
    long start = cluster.ticks().next();
    Bytes row = Bytes.of(ROW);
    table.send(fast.flush(start, row));
    long readPoint = fast.region().getReadPoint(IsolationLevel.READ_COMMITTED);
    table.send(TestTable.commit(start, base, row, F, cluster.ticks().next()));
    fast.region().flush(true);
    Scan again = new Scan().withStartRow(ROW).withStopRow(ROW, true);
    PackagePrivateFieldAccessor.setMvccReadPoint(again, readPoint);
    Scan asked = new Scan(again);
    fast.region().getCoprocessorHost().preScannerOpen(asked);
    assertThat(PackagePrivateFieldAccessor.getMvccReadPoint(asked)).isNotPositive();
    try (ResultScanner scanner = plain.getScanner(again)) {
      assertThat(FastTable.texts(scanner.next())).containsExactly("tentative");
    }
  }

  /** They work on the region itself, past the hooks that show and guard transactions. */
  @Test
  void servicesOfOtherCoprocessorsAreRefused() {
    assertThatThrownBy(
            () ->
                fast.region()
                    .getCoprocessorHost()
                    .preEndpointInvocation(
                        new MultiRowMutationEndpoint(),
                        "MutateRows",
                        MultiRowMutationProtos.MutateRowsRequest.getDefaultInstance()))
        .hasMessageContaining("services of other coprocessors")
        .hasMessageContaining("service=hbase.pb.MultiRowMutationService");
  }

  /** For example the cache of Phoenix's hash joins. */
  @Test
  void aServiceThatTouchesNoRowIsAllowedByName() throws Exception {
    Service cache = new NamedService(RegionServerSettings.ENDPOINTS_ALLOWED.defaultValue());
    Message request = MultiRowMutationProtos.MutateRowsRequest.getDefaultInstance();
    RegionCoprocessorHost host = fast.region().getCoprocessorHost();
    assertThat(host.preEndpointInvocation(cache, "AddServerCache", request)).isSameAs(request);
    assertThatThrownBy(() -> host.preEndpointInvocation(new NamedService("Other"), "Get", request))
        .hasMessageContaining("service=Other")
        .hasMessageContaining(RegionServerSettings.ENDPOINTS_ALLOWED.name());
  }

  private List<String> get(byte[] row) throws Exception {
    return FastTable.texts(plain.get(new Get(row)));
  }

  private static byte[] value(String text) {
    return text.getBytes(UTF_8);
  }
}
