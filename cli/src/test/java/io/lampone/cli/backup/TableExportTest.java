package io.lampone.cli.backup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.cli.backup.Manifest.Part;
import io.lampone.cli.backup.Manifest.TableEntry;
import io.lampone.hbase.TableRetention;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which cells an export writes, and when it is complete. */
class TableExportTest {

  private static final TableName NAME = TableName.valueOf("t");
  private static final byte[] F = {'f'};
  private static final long FLOOR = Timestamps.tick(1L << 60);
  private static final long VERSION = FLOOR + Timestamps.FIRST_FAST_PATH_LOCAL;
  private static final long SNAPSHOT = FLOOR + 4 * Timestamps.TICK;

  @TempDir private Path place;

  private final TablesInMemory tables = new TablesInMemory();

  /** Between two looks at the time, seven seconds pass: the third row of a page ends it. */
  private final Clock clock =
      new Clock() {
        private long seconds;

        @Override
        public long wallMillis() {
          throw new UnsupportedOperationException();
        }

        @Override
        public synchronized long monotonicNanos() {
          seconds += 7;
          return TimeUnit.SECONDS.toNanos(seconds);
        }
      };

  @BeforeEach
  void create() {
    tables.descriptors.put(
        NAME,
        TableSettings.ofPhoenix(FLOOR)
            .applyTo(
                TableDescriptorBuilder.newBuilder(NAME)
                    .setColumnFamily(
                        ColumnFamilyDescriptorBuilder.newBuilder(F)
                            .setValue(TableRetention.VERSIONS_KEY, "2")
                            .build()))
            .build());
  }

  @Test
  void noRowIsMissingWhereAPageEndsAndAnotherBegins() throws Exception {
    List<String> rows = List.of("a", "b", "c", "d", "e", "f", "g");
    rows.forEach(row -> add(row, VERSION));
    List<String> scans = new ArrayList<>();
    tables.atScan = () -> scans.add("scan");

    export();

    assertThat(exported()).extracting(TableExportTest::row).isEqualTo(rows);
    assertThat(scans).hasSizeGreaterThan(2);
  }

  @Test
  void theVersionsThatTheTableShowsAreExported() throws Exception {
    add("a", VERSION + 2 * Timestamps.TICK);
    add("a", VERSION + Timestamps.TICK);
    add("a", VERSION);

    export();

    assertThat(exported())
        .extracting(Cell::getTimestamp)
        .containsExactly(VERSION + 2 * Timestamps.TICK, VERSION + Timestamps.TICK);
  }

  @Test
  void theExportOfATableThatWasDisabledInHBaseMeanwhileIsNotComplete() throws Exception {
    add("a", VERSION);
    tables.atScan = () -> tables.enabledSince = 2;

    assertThatThrownBy(this::export)
        .isInstanceOf(BackupException.class)
        .hasMessageContaining("the table was disabled in HBase while it was exported");

    assertThat(folder().backup()).isEmpty();
  }

  /** What is older was collected before the table kept longer. */
  @Test
  void aSnapshotBelowTheTablesOwnBoundIsNotKept() throws Exception {
    assertThat(newExport().mayKeep(List.of(NAME), SNAPSHOT)).isFalse();
    tables.descriptors.computeIfPresent(
        NAME,
        (name, table) ->
            TableRetention.keepLonger(
                    TableDescriptorBuilder.newBuilder(table), Duration.ofDays(1), SNAPSHOT)
                .build());
    assertThat(newExport().mayKeep(List.of(NAME), SNAPSHOT)).isTrue();
    assertThat(newExport().mayKeep(List.of(NAME), SNAPSHOT - 1)).isFalse();
    assertThat(newExport().mayKeep(List.of(NAME, TableName.valueOf("gone")), SNAPSHOT)).isFalse();
  }

  private void export() throws IOException {
    newExport().export(List.of(NAME), SNAPSHOT, place.toString());
  }

  private TableExport newExport() {
    return new TableExport(
        tables.client(),
        tables.connection(),
        clock,
        1,
        (what, parts, ofParts, rows, bytes) -> {},
        Optional.empty());
  }

  private List<Cell> exported() throws IOException {
    List<Cell> cells = new ArrayList<>();
    Manifest backup = folder().backup().orElseThrow();
    for (TableEntry table : backup.tables()) {
      for (Part part : table.parts()) {
        folder().readPart(backup.id(), table.folder(), part.file(), SNAPSHOT, cells::add);
      }
    }
    return cells;
  }

  private BackupFolder folder() throws IOException {
    return BackupFolder.of(place.toString(), new Configuration(), Optional.empty());
  }

  private void add(String row, long version) {
    tables.cells.add(new KeyValue(row.getBytes(UTF_8), F, F, version, F));
  }

  private static String row(Cell cell) {
    return Bytes.toString(CellUtil.cloneRow(cell));
  }
}
