package io.lampone.cli.backup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.cli.backup.Manifest.Part;
import io.lampone.cli.backup.Manifest.TableEntry;
import io.lampone.cli.backup.PartFormat.Totals;
import io.lampone.protocol.Reserved;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Cells that no export writes, in a file whose checksums are right. */
class StoredBackupTest {

  private static final String ID = "id";
  private static final String PART = "part-00000";
  private static final long TIMESTAMP = 1L << 60;

  @TempDir private Path place;

  @Test
  void aCellOfTheTableIsSound() throws IOException {
    write(cell("f", "q".getBytes(UTF_8), 5));
    assertThat(verified().tables()).hasSize(1);
  }

  @Test
  void aReservedColumnIsDamage() throws IOException {
    write(cell("f", Reserved.TRANSACTION.toArray(), 5));
    refused("a cell that cannot be in it");
  }

  @Test
  void aFamilyThatTheTableLacksIsDamage() throws IOException {
    write(cell("g", "q".getBytes(UTF_8), 5));
    refused("a cell that cannot be in it");
  }

  @Test
  void aNegativeVersionIsDamage() throws IOException {
    KeyValue cell = cell("f", "q".getBytes(UTF_8), 5);
    cell.setTimestamp(-1);
    write(cell);
    refused("a cell that cannot be in it");
  }

  private void refused(String why) {
    assertThatThrownBy(this::verified)
        .isInstanceOf(BackupException.class)
        .hasMessageContaining("damaged: ")
        .hasMessageContaining(why)
        .hasMessageContaining("file=t/" + PART);
  }

  private BackupSummary verified() throws IOException {
    return StoredBackup.open(
            place.toString(),
            new Configuration(),
            Optional.empty(),
            (what, done, parts, rows, bytes) -> {})
        .verify(1);
  }

  private static KeyValue cell(String family, byte[] qualifier, long version) {
    byte[] row = {'r'};
    return new KeyValue(row, family.getBytes(UTF_8), qualifier, version, KeyValue.Type.Put, row);
  }

  private void write(KeyValue cell) throws IOException {
    BackupFolder folder = BackupFolder.of(place.toString(), new Configuration(), Optional.empty());
    Totals totals =
        folder.writePart(
            ID,
            "t",
            PART,
            out -> {
              PartWriter writer = new PartWriter(out, TIMESTAMP);
              writer.write(cell);
              return writer.end();
            });
    byte[] descriptor =
        TableDescriptorBuilder.toByteArray(
            TableDescriptorBuilder.newBuilder(TableName.valueOf("t"))
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                .build());
    Part part = new Part(PART, "", "", 0, 0, 0, 0).with(totals);
    TableEntry table =
        new TableEntry("t", "ROW", "t", BackupFolder.text(descriptor), 1, List.of(part), 0);
    folder.writeBackup(new Manifest(Manifest.FORMAT, ID, TIMESTAMP, List.of(table), false));
  }
}
