package io.lampone.cli.backup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.cli.backup.Manifest.Part;
import io.lampone.cli.backup.Manifest.TableEntry;
import io.lampone.hbase.CellLifetimes;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.Timestamps;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a restore writes into its tables before it opens them. */
class TableRestoreTest {

  private static final TableName NAME = TableName.valueOf("t");
  private static final byte[] F = {'f'};
  private static final long VERSION = Timestamps.tick(1L << 60) + Timestamps.FIRST_FAST_PATH_LOCAL;
  private static final long SNAPSHOT = Timestamps.tick(1L << 60) + Timestamps.TICK;
  private static final String BACKUP = "id";
  private static final TableDescriptor TABLE =
      TableDescriptorBuilder.newBuilder(NAME)
          .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
          .build();

  @TempDir private Path place;

  private final TablesInMemory tables = new TablesInMemory();

  @Test
  void everyCellIsWrittenThoughTheLastBatchIsNotFull() throws Exception {
    backUp(part("", "b", cell("a", "q")), part("b", "", cell("b", "q"), cell("c", "q")));

    restore();

    assertThat(tables.puts)
        .extracting(put -> Bytes.toString(put.getRow()))
        .containsExactlyInAnyOrder("a", "b", "c");
    assertThat(tables.opened).containsExactly(NAME);
  }

  @Test
  void eachCellOfARowKeepsItsOwnLifetime() throws Exception {
    backUp(part("", "", cell("a", "long", 9_000), cell("a", "never"), cell("a", "short", 1_000)));

    restore();

    assertThat(tables.puts)
        .extracting(TableRestoreTest::text)
        .containsExactlyInAnyOrder(
            "long " + 9_000, "never " + FamilyRetention.FOREVER, "short " + 1_000);
  }

  /** With every file as it was written. */
  @Test
  void aBackupThatLacksARangeOfRowsIsRefused() throws Exception {
    backUp(part("", "b", cell("a", "q")), part("c", "", cell("c", "q")));

    assertThatThrownBy(this::restore)
        .isInstanceOf(BackupException.class)
        .hasMessageContaining("rows are missing between two parts")
        .hasMessageContaining("from=b to=c");

    assertThat(tables.descriptors).isEmpty();
  }

  @Test
  void aTableThatAnEarlierRestoreLeftHalfFullIsFilledBeforeItIsOpened() throws Exception {
    backUp(part("", "", cell("a", "q"), cell("b", "q")));
    tables.descriptors.put(
        NAME,
        TableDescriptorBuilder.newBuilder(TABLE)
            .setValue(TableSettings.RESTORING_KEY, BACKUP)
            .setValue(TableSettings.RESTORED_TABLE_KEY, NAME.getNameAsString())
            .build());

    restore();

    assertThat(tables.puts).hasSize(2);
    assertThat(tables.opened).containsExactly(NAME);
    assertThat(tables.descriptors.get(NAME).getValue(TableSettings.RESTORING_FULL_KEY))
        .isEqualTo("true");
  }

  /** Range of rows with its cells. */
  private record Range(String start, String stop, List<Cell> cells) {}

  private static Range part(String start, String stop, Cell... cells) {
    return new Range(start, stop, List.of(cells));
  }

  private void backUp(Range... ranges) throws IOException {
    BackupFolder folder = BackupFolder.of(place.toString(), new Configuration(), Optional.empty());
    List<Part> parts = new ArrayList<>();
    for (Range range : ranges) {
      String file = "part-" + parts.size();
      Part planned = new Part(file, text(range.start()), text(range.stop()), 0, 0, 0, 0);
      parts.add(
          planned.with(
              folder.writePart(
                  BACKUP,
                  "folder",
                  file,
                  out -> {
                    PartWriter writer = new PartWriter(out, SNAPSHOT);
                    for (Cell cell : range.cells()) {
                      writer.write(cell);
                    }
                    return writer.end();
                  })));
    }
    TableEntry entry =
        new TableEntry(
            NAME.getNameAsString(),
            "ROW",
            "folder",
            BackupFolder.text(TableDescriptorBuilder.toByteArray(TABLE)),
            1,
            parts,
            0);
    folder.writeBackup(new Manifest(Manifest.FORMAT, BACKUP, SNAPSHOT, List.of(entry), false));
  }

  private void restore() throws IOException {
    StoredBackup stored =
        StoredBackup.open(
            place.toString(),
            new Configuration(),
            Optional.empty(),
            (what, parts, ofParts, rows, bytes) -> {});
    new TableRestore(tables.connection(), tables.administration(), 1, Set.of())
        .restore(stored, Map.of(), SNAPSHOT);
  }

  private static Cell cell(String row, String qualifier) {
    return cell(row, qualifier, FamilyRetention.FOREVER);
  }

  private static Cell cell(String row, String qualifier, long lifetime) {
    return new KeyValue(
        row.getBytes(UTF_8),
        F,
        qualifier.getBytes(UTF_8),
        VERSION,
        KeyValue.Type.Put,
        F,
        lifetime == FamilyRetention.FOREVER ? List.of() : List.of(CellLifetimes.tag(lifetime)));
  }

  private static String text(String row) {
    return BackupFolder.text(row.getBytes(UTF_8));
  }

  /** Returns the columns of a put, and its lifetime. */
  private static String text(Put put) {
    StringBuilder text = new StringBuilder();
    for (Cell cell : put.getFamilyCellMap().get(F)) {
      text.append(
          Bytes.toString(
              cell.getQualifierArray(), cell.getQualifierOffset(), cell.getQualifierLength()));
    }
    return text.append(' ').append(CellLifetimes.millis(put)).toString();
  }
}
