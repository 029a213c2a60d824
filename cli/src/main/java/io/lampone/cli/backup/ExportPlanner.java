package io.lampone.cli.backup;

import io.lampone.cli.backup.Manifest.TableEntry;
import io.lampone.hbase.TableRetention;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.FamilyRetention;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.exceptions.DeserializationException;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Plans exports, and checks that tables can be exported at a snapshot and are still those of the
 * plan.
 */
final class ExportPlanner {

  private final Connection connection;

  ExportPlanner(Connection connection) {
    this.connection = connection;
  }

  /** Checks that tables can be exported, like {@link TableExport#check}. */
  void check(List<TableName> tables, long timestamp) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      for (TableName table : tables) {
        check(admin.getDescriptor(table), timestamp);
      }
    }
  }

  private static TableSettings check(TableDescriptor table, long timestamp) throws IOException {
    Optional<TableSettings> settings = TableSettings.of(table);
    if (settings.isEmpty()) {
      throw new BackupException(
          "the table is not transactional, so no snapshot shows it, table=" + table.getTableName(),
          "'lampone table list' shows which are; plain tables are copied by HBase's own tools");
    }
    if (settings.get().phase() != TableSettings.Phase.ENABLED) {
      throw new BackupException(
          "the table is being enabled or disabled, table=" + table.getTableName(),
          "wait until that command has ended; if it was interrupted, give it again");
    }
    if (settings.get().floor() > timestamp) {
      throw new BackupException(
          "the table became transactional after this snapshot, table="
              + table.getTableName()
              + " timestamp="
              + timestamp
              + " since="
              + settings.get().floor(),
          "take a new snapshot, or leave the table out");
    }
    return settings.get();
  }

  /** Returns the plan of an export: the tables and their regions as they are now. */
  Manifest plan(List<TableName> tables, long timestamp, boolean encrypted) throws IOException {
    List<TableEntry> entries = new ArrayList<>();
    FolderNames folders = BackupFolder.tableFolders();
    try (Admin admin = connection.getAdmin()) {
      for (TableName name : tables) {
        final long enabledSince = enabledSince(name);
        TableDescriptor descriptor = admin.getDescriptor(name);
        TableSettings settings = check(descriptor, timestamp);
        TableRetention retention = TableRetention.of(descriptor);
        int versions =
            retention.families().values().stream()
                .map(FamilyRetention::versions)
                .reduce(1, Math::max);
        entries.add(
            new TableEntry(
                name.getNameAsString(),
                settings.level().name(),
                folders.of(name),
                BackupFolder.text(TableDescriptorBuilder.toByteArray(descriptor)),
                versions,
                Ranges.of(admin.getRegions(name).stream().map(RegionInfo::getStartKey).toList()),
                enabledSince));
      }
    }
    return new Manifest(
        Manifest.FORMAT, UUID.randomUUID().toString(), timestamp, entries, encrypted);
  }

  /** Checks that the tables of a plan can still be exported, and hold all that they held. */
  void check(Manifest plan) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      for (TableEntry table : plan.tables()) {
        TableDescriptor present = admin.getDescriptor(TableName.valueOf(table.name()));
        check(present, plan.timestamp());
        requireSame(table, present);
      }
    } catch (TableNotFoundException e) {
      throw new BackupException(
          "a table was dropped while it was exported, table=" + e.getMessage(),
          "begin a new backup in another folder, without it");
    }
  }

  /** Fails if HBase has removed data that the snapshot showed, which transactions cannot notice. */
  private void requireSame(TableEntry planned, TableDescriptor present) throws IOException {
    for (byte[] family : descriptor(planned).getColumnFamilyNames()) {
      if (!present.hasColumnFamily(family)) {
        throw new BackupException(
            "a family was deleted while its table was exported, family="
                + Bytes.toStringBinary(family)
                + " table="
                + planned.name(),
            "begin a new backup in another folder");
      }
    }
    if (planned.enabledSince() != 0
        && planned.enabledSince() != enabledSince(present.getTableName())) {
      throw new BackupException(
          "the table was disabled in HBase while it was exported, and may have been truncated or put"
              + " back to a snapshot of HBase's, table="
              + planned.name(),
          "begin a new backup in another folder");
    }
  }

  /**
   * Returns the time of the last enabling. Every operation that removes a table's rows but not the
   * table disables and enables it.
   */
  private long enabledSince(TableName name) throws IOException {
    try (Table meta = connection.getTable(TableName.META_TABLE_NAME)) {
      Result row =
          meta.get(
              new Get(name.getName())
                  .addColumn(HConstants.TABLE_FAMILY, HConstants.TABLE_STATE_QUALIFIER));
      return row.isEmpty() ? 0 : row.rawCells()[0].getTimestamp();
    }
  }

  /** Returns the descriptor of the table at the begin of the export. */
  static TableDescriptor descriptor(TableEntry table) throws IOException {
    try {
      return table.tableDescriptor();
    } catch (DeserializationException e) {
      throw new IOException("unreadable plan, table=" + table.name(), e);
    }
  }
}
