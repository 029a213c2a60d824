package io.lampone.embedded;

import static io.lampone.embedded.RunningCluster.FAMILY;
import static io.lampone.embedded.RunningCluster.bytes;
import static io.lampone.embedded.RunningCluster.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scans whose scanner on the region server is lost while they are in the middle of a row. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LostScannersIT {

  /** Longest wait on a busy machine. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final int COLUMNS = 3_000;
  private static final int VALUE_BYTES = 2_048;

  @TempDir private static Path directory;

  private static RunningCluster cluster;

  @BeforeAll
  static void start() throws IOException {
    cluster = RunningCluster.start(directory);
  }

  @AfterAll
  static void stop() throws IOException {
    if (cluster != null) {
      cluster.close();
    }
  }

  /** After the move, the scan meets writes of an older transaction: a pointer, first. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theRestOfARowComesThoughItsRegionMovesAndAnIntentIsMetInWhatCameAlready(boolean partial)
      throws IOException {
    TableName name = cluster.createTable("moved" + partial, ConflictLevel.CELL);
    fill(name);
    try (LamponeClient slow = cluster.connect("lampone.client.scan.buffer.bytes", "1");
        Transaction old = cluster.client().begin();
        Transaction reader = slow.begin();
        ResultScanner scanner = reader.table(name).getScanner(inParts(partial))) {
      List<String> cells = new ArrayList<>();
      add(scanner.next(), cells);
      assertThat(cells).hasSizeLessThan(COLUMNS);

      old.table(name).put(new Put(bytes("r")).addColumn(FAMILY, column(0), bytes("later")));
      sendIntents(old, name);
      move(name);
      scanner.forEach(result -> add(result, cells));

      List<String> expected = new ArrayList<>();
      for (int i = 0; i < COLUMNS; i++) {
        expected.add("r " + Bytes.toStringBinary(column(i)));
      }
      expected.add("s " + Bytes.toStringBinary(column(0)));
      assertThat(cells).isEqualTo(expected);
    }
  }

  private static Scan inParts(boolean partial) {
    return partial ? new Scan().setAllowPartialResults(true) : new Scan().setBatch(1_000);
  }

  private static void fill(TableName name) throws IOException {
    cluster
        .client()
        .run(
            tx -> {
              Put wide = new Put(bytes("r"));
              for (int i = 0; i < COLUMNS; i++) {
                wide.addColumn(FAMILY, column(i), new byte[VALUE_BYTES]);
              }
              tx.table(name).put(wide);
              tx.table(name).put(new Put(bytes("s")).addColumn(FAMILY, column(0), bytes("end")));
              return null;
            });
  }

  /** Own writes in the range of a scan are sent before it is opened. */
  private static void sendIntents(Transaction writer, TableName name) throws IOException {
    try (ResultScanner rows = writer.table(name).getScanner(new Scan().setLimit(1))) {
      assertThat(rows.next()).isNotNull();
    }
  }

  private static void move(TableName name) throws IOException {
    EmbeddedHBase hbase = cluster.hbase();
    int from = hbase.regionServer(0).getRegions(name).isEmpty() ? 1 : 0;
    hbase.moveRegion(hbase.regionServer(from).getRegions(name).get(0).getRegionInfo(), 1 - from);
    Awaitility.await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(
            () -> {
              try (Transaction other = cluster.client().begin()) {
                return get(other, name, "nothing").equals("-");
              }
            });
  }

  private static void add(Result result, List<String> cells) {
    for (Cell cell : result.rawCells()) {
      cells.add(
          Bytes.toStringBinary(CellUtil.cloneRow(cell))
              + " "
              + Bytes.toStringBinary(CellUtil.cloneQualifier(cell)));
    }
  }

  private static byte[] column(int number) {
    return bytes(String.format("c%05d", number));
  }
}
