package io.lampone.coprocessor;

import static io.lampone.coprocessor.FastTable.F;
import static io.lampone.coprocessor.FastTable.Q;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RegionRequest.CommitLeader;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.hbase.CellUtil;
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

  @AfterEach
  void close() throws Exception {
    plain.close();
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
    table.send(new CommitLeader(start, base, row, F, cluster.ticks().next()));
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

  private List<String> get(byte[] row) throws Exception {
    return FastTable.texts(plain.get(new Get(row)));
  }

  private static byte[] value(String text) {
    return text.getBytes(UTF_8);
  }
}
