package io.lampone.coprocessor;

import io.lampone.coprocessor.server.FreshTimestamp;
import io.lampone.hbase.KeptSchema;
import io.lampone.hbase.SchemaObstacles;
import io.lampone.hbase.TableRetention;
import io.lampone.hbase.TableSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.CoprocessorEnvironment;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.CoreCoprocessor;
import org.apache.hadoop.hbase.coprocessor.HasMasterServices;
import org.apache.hadoop.hbase.coprocessor.MasterCoprocessor;
import org.apache.hadoop.hbase.coprocessor.MasterCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.MasterObserver;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.zookeeper.ZKWatcher;
import org.jspecify.annotations.Nullable;

/**
 * Master observer: makes tables created by Apache Phoenix transactional, and keeps them so when
 * Phoenix alters them. Phoenix names the region observer in a table's descriptor, at a priority of
 * its own, and none of our settings; without them the table would be plain. Options that a
 * transactional table cannot have are refused to all users.
 */
@CoreCoprocessor
public final class TableGuard implements MasterCoprocessor, MasterObserver {

  /** ZooKeeper of the master; null on other servers. Set by {@link #start}. */
  private @Nullable ZKWatcher zooKeeper;

  @Override
  public Optional<MasterObserver> getMasterObserver() {
    return Optional.of(this);
  }

  @Override
  public void start(CoprocessorEnvironment environment) {
    if (environment instanceof HasMasterServices services) {
      zooKeeper = services.getMasterServices().getZooKeeper();
    }
  }

  @Override
  public TableDescriptor preCreateTableRegionsInfos(
      ObserverContext<MasterCoprocessorEnvironment> context, TableDescriptor table)
      throws IOException {
    return Guard.call(
        "preCreateTableRegionsInfos",
        () -> isNamed(table) == isSet(table) ? table : created(table));
  }

  @Override
  public TableDescriptor preModifyTable(
      ObserverContext<MasterCoprocessorEnvironment> context,
      TableName name,
      TableDescriptor present,
      TableDescriptor table)
      throws IOException {
    return Guard.call("preModifyTable", () -> modified(present, table));
  }

  /**
   * Completes a descriptor that has only the observer or only the settings. The table for indexes
   * of views has the settings, copied by Phoenix from the views' table, and no observer.
   */
  private TableDescriptor created(TableDescriptor table) throws IOException {
    requireNoObstacle(SchemaObstacles.of(table));
    TableDescriptorBuilder kept = TableDescriptorBuilder.newBuilder(KeptSchema.withObserver(table));
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      kept.modifyColumnFamily(kept(family));
    }
    return TableSettings.ofPhoenix(floor(table.getTableName())).applyTo(kept).build();
  }

  private TableDescriptor modified(TableDescriptor present, TableDescriptor table)
      throws IOException {
    if (isNamed(table) && !isNamed(present) && !isSet(table)) {
      throw refused("enable it first: 'lampone table enable'", table);
    }
    if (!isSet(table) || !isSet(present)) {
      return table;
    }
    if (!isNamed(table)) {
      throw refused("transactions on it are ended by 'lampone table disable' only", table);
    }
    List<String> added = new ArrayList<>(SchemaObstacles.of(table));
    added.removeAll(SchemaObstacles.of(present));
    requireNoObstacle(added);
    TableDescriptor placed = KeptSchema.withObserver(table);
    TableDescriptorBuilder kept = TableDescriptorBuilder.newBuilder(placed);
    boolean changed = placed != table | keptFloors(present, table, kept);
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      if (!KeptSchema.isKept(family)) {
        kept.modifyColumnFamily(kept(family));
        changed = true;
      }
    }
    return changed ? kept.build() : table;
  }

  /** Keeps the floors, which are lower in a descriptor that was read before an index was made. */
  private static boolean keptFloors(
      TableDescriptor present, TableDescriptor table, TableDescriptorBuilder kept) {
    TableSettings before = TableSettings.of(present).orElseThrow();
    TableSettings after = TableSettings.of(table).orElseThrow();
    boolean lowersSchemaFloor = after.schemaFloor() < before.schemaFloor();
    boolean lowersFloor = after.floor() < before.floor();
    if (lowersSchemaFloor) {
      kept.setValue(TableSettings.SCHEMA_FLOOR_KEY, Long.toString(before.schemaFloor()));
    }
    if (lowersFloor) {
      kept.setValue(TableSettings.FLOOR_KEY, Long.toString(before.floor()));
    }
    return lowersSchemaFloor || lowersFloor;
  }

  private static void requireNoObstacle(List<String> obstacles) throws IOException {
    if (!obstacles.isEmpty()) {
      throw new DoNotRetryIOException(obstacles.get(0));
    }
  }

  /** Returns the family as kept. All versions is what Phoenix sets on every transactional table. */
  private static ColumnFamilyDescriptor kept(ColumnFamilyDescriptor family) {
    return KeptSchema.keeping(
        family.getMaxVersions() == HConstants.ALL_VERSIONS
            ? ColumnFamilyDescriptorBuilder.newBuilder(family)
            : TableRetention.translated(family));
  }

  private long floor(TableName table) throws IOException {
    try {
      if (zooKeeper == null) {
        throw new IOException("the coprocessor is not on a master");
      }
      return FreshTimestamp.ask(zooKeeper);
    } catch (IOException | IllegalArgumentException e) {
      throw new DoNotRetryIOException(
          "a transactional table needs a timestamp of the transaction manager: is it running,"
              + " table="
              + table
              + " cause="
              + e.getMessage(),
          e);
    }
  }

  private static boolean isNamed(TableDescriptor table) {
    return table.hasCoprocessor(TableSettings.COPROCESSOR);
  }

  private static boolean isSet(TableDescriptor table) {
    return table.getValue(TableSettings.PHASE_KEY) != null;
  }

  private static IOException refused(String what, TableDescriptor table) {
    return new DoNotRetryIOException(
        "the table is not transactional in both of its descriptions: "
            + what
            + ", table="
            + table.getTableName());
  }
}
