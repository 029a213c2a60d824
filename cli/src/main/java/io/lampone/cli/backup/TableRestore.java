package io.lampone.cli.backup;

import io.lampone.cli.backup.BackupSummary.TableSummary;
import io.lampone.cli.backup.Manifest.Part;
import io.lampone.cli.backup.Manifest.TableEntry;
import io.lampone.cli.backup.PartFormat.Totals;
import io.lampone.client.LamponeAdmin;
import io.lampone.hbase.CellLifetimes;
import io.lampone.hbase.TableRetention;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.FamilyRetention;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.exceptions.DeserializationException;

/**
 * Restores new tables from a backup. Verifies every file, writes plain tables, and makes them
 * transactional at the end. Incomplete data is thus never read, and a failure leaves no table that
 * could be mistaken for a complete one.
 *
 * <p>Writing a cell is idempotent, because the cell carries its version. An interrupted restore is
 * therefore repeated over the existing data; if all tables are full, only the last step is.
 */
public final class TableRestore {

  /** A batch of puts is sent when it is as large, in cells or bytes. */
  private static final int BATCH_CELLS = 1_000;

  private static final int BATCH_BYTES = 1 << 20;

  private final Connection connection;
  private final LamponeAdmin administration;
  private final Workers workers;
  private final RestoredAttributes attributes;

  /**
   * @param attributes additional attributes of tables and families to copy from the backup, by
   *     their keys in HBase's descriptors; harmless ones are always copied
   */
  public TableRestore(
      Connection connection, LamponeAdmin administration, int threads, Set<String> attributes) {
    this.connection = connection;
    this.administration = administration;
    this.workers = new Workers(threads);
    this.attributes = new RestoredAttributes(attributes);
  }

  /**
   * Restores all tables.
   *
   * @param names new names by original name; other tables keep theirs
   * @param now a timestamp that the transaction manager has just issued
   */
  public BackupSummary restore(StoredBackup stored, Map<TableName, TableName> names, long now)
      throws IOException {
    Manifest backup = stored.manifest();
    if (backup.timestamp() > now) {
      throw new BackupException(
          "the backup is from the future of this cluster's transaction manager, timestamp="
              + backup.timestamp()
              + " now="
              + now,
          "another cluster has written it, whose clock is ahead: restore it later");
    }
    List<Target> targets = targets(backup, names);
    // The first table is opened only when all are full and marked as such.
    EarlierRestore earlier = new EarlierRestore(connection, backup);
    if (!earlier.hasFilled(targets)) {
      stored.verify(workers);
      createAndFill(stored, targets);
      earlier.markFull(targets);
    }
    open(targets);
    return new BackupSummary(
        backup.id(),
        backup.timestamp(),
        targets.stream()
            .map(
                each ->
                    new TableSummary(
                        each.name().getNameAsString(),
                        each.table().rows(),
                        each.table().cells(),
                        each.table().bytes(),
                        List.copyOf(each.restored().leftOut())))
            .toList());
  }

  /** Table of the backup and its restored form. */
  record Target(TableEntry table, TableName name, RestoredAttributes.Restored restored) {}

  private List<Target> targets(Manifest backup, Map<TableName, TableName> names)
      throws IOException {
    List<Target> targets = new ArrayList<>();
    Set<TableName> unknown = new HashSet<>(names.keySet());
    Set<TableName> taken = new HashSet<>();
    for (TableEntry table : backup.tables()) {
      TableName old = TableName.valueOf(table.name());
      TableName name = names.getOrDefault(old, old);
      unknown.remove(old);
      if (!taken.add(name)) {
        throw new BackupException(
            "two tables would have one name, table=" + name, "look at --rename");
      }
      try {
        targets.add(new Target(table, name, attributes.of(name, table.tableDescriptor())));
      } catch (DeserializationException e) {
        throw new BackupException(
            "the description of a table cannot be read, table=" + old,
            "another version of HBase has written it: restore it there",
            e);
      }
    }
    if (!unknown.isEmpty()) {
      throw new BackupException(
          "no such table in the backup: " + unknown,
          "it holds " + backup.tables().stream().map(TableEntry::name).toList());
    }
    return targets;
  }

  /** Opens the full tables. An interrupted call can be resumed at any point. */
  private void open(List<Target> targets) throws BackupException {
    try {
      for (Target target : targets) {
        administration.finishRestore(target.name(), ConflictLevel.valueOf(target.table().level()));
      }
    } catch (IOException | RuntimeException e) {
      throw new BackupException(
          "the tables are full, and not all of them open yet: " + e.getMessage(),
          "give the same command again: it opens them, and fills none again",
          e);
    }
  }

  private void createAndFill(StoredBackup stored, List<Target> targets) throws IOException {
    Manifest backup = stored.manifest();
    List<TableName> made = new ArrayList<>();
    try {
      for (Target target : targets) {
        // One that was there is another restore's, which may be at it.
        if (create(backup, target)) {
          made.add(target.name());
        }
      }
      fill(stored, targets);
    } catch (IOException | RuntimeException e) {
      // After an interrupt the tables stay for the same command, which goes on with them.
      if (!Thread.currentThread().isInterrupted()) {
        drop(backup, made, e);
      }
      throw e;
    }
  }

  /** Creates the table; returns true if it did not exist. */
  private boolean create(Manifest backup, Target target) throws IOException {
    TableDescriptorBuilder table =
        TableDescriptorBuilder.newBuilder(target.restored().table())
            .removeValue(TableSettings.PHASE_KEY)
            .removeValue(TableSettings.LEVEL_KEY)
            .removeValue(TableSettings.FLOOR_KEY)
            .removeValue(TableSettings.RESTORING_FULL_KEY)
            .removeValue(TableSettings.RESTORED_KEY)
            .setValue(TableSettings.RESTORED_TABLE_KEY, target.table().name())
            .removeValue(TableRetention.OLDEST_KEY);
    byte[][] splits =
        target.table().parts().stream()
            .map(part -> BackupFolder.bytes(part.start()))
            .filter(start -> start.length() > 0)
            .distinct()
            .sorted()
            .map(Bytes::toArray)
            .toArray(byte[][]::new);
    return administration.createForRestore(table.build(), backup.id(), splits);
  }

  private void fill(StoredBackup stored, List<Target> targets) throws IOException {
    StoredBackup.Counted counted = stored.counted("Restoring");
    List<Callable<Totals>> tasks = new ArrayList<>();
    for (Target target : targets) {
      for (Part part : target.table().parts()) {
        tasks.add(
            () -> {
              try (Table table = connection.getTable(target.name())) {
                Batch batch = new Batch(table);
                Totals totals = stored.read(target.table(), part, counted, batch::add);
                batch.send();
                return totals;
              }
            });
      }
    }
    workers.all(tasks);
  }

  /** Batch of puts of one table; for one thread. */
  private static final class Batch {
    private final Table table;
    private final List<Put> puts = new ArrayList<>();
    private int cells;
    private long bytes;

    Batch(Table table) {
      this.table = table;
    }

    void add(Cell cell) throws IOException {
      int last = puts.size() - 1;
      long lifetime = CellLifetimes.millis(cell);
      if (last >= 0
          && CellUtil.matchingRows(cell, puts.get(last).getRow())
          && lifetime == CellLifetimes.millis(puts.get(last))) {
        puts.get(last).add(cell);
      } else {
        // Independent of the table's setting: restored data must survive a server crash.
        Put put = new Put(CellUtil.cloneRow(cell)).setDurability(Durability.SYNC_WAL).add(cell);
        // HBase stores it as it was; a tag of the cell itself would not be sent.
        puts.add(lifetime == FamilyRetention.FOREVER ? put : put.setTTL(lifetime));
      }
      cells++;
      bytes += cell.getValueLength() + cell.getRowLength() + cell.getQualifierLength();
      if (cells >= BATCH_CELLS || bytes >= BATCH_BYTES) {
        send();
      }
    }

    void send() throws IOException {
      if (!puts.isEmpty()) {
        table.put(puts);
        puts.clear();
        cells = 0;
        bytes = 0;
      }
    }
  }

  /** Drops tables made for this restore; they are plain tables that have not been read yet. */
  private void drop(Manifest backup, List<TableName> made, Exception failure) {
    try (Admin admin = connection.getAdmin()) {
      for (TableName table : made) {
        // The same command elsewhere may have filled it, too, and be opening it.
        if (admin.tableExists(table)
            && EarlierRestore.isFilling(backup, admin.getDescriptor(table))) {
          if (admin.isTableEnabled(table)) {
            admin.disableTable(table);
          }
          admin.deleteTable(table);
        }
      }
    } catch (IOException e) {
      // They stay plain and marked: the next restore of this backup resumes with them.
      failure.addSuppressed(e);
    }
  }
}
