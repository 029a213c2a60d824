package io.lampone.coprocessor;

import io.lampone.coprocessor.core.RegionServerSettings;
import io.lampone.coprocessor.server.FreshTimestamp;
import io.lampone.hbase.KeptSchema;
import io.lampone.hbase.SchemaObstacles;
import io.lampone.hbase.TableRetention;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.Phase;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.CoprocessorEnvironment;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.CoreCoprocessor;
import org.apache.hadoop.hbase.coprocessor.HasMasterServices;
import org.apache.hadoop.hbase.coprocessor.MasterCoprocessor;
import org.apache.hadoop.hbase.coprocessor.MasterCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.MasterObserver;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.master.MasterServices;
import org.jspecify.annotations.Nullable;

/**
 * Master observer: makes tables created by Apache Phoenix transactional, and keeps them so when
 * Phoenix alters them. Phoenix names the region observer in a table's descriptor, at a priority of
 * its own, and none of our settings; without them the table would be plain. Options that a
 * transactional table cannot have are refused to all users.
 */
@CoreCoprocessor
public final class TableGuard implements MasterCoprocessor, MasterObserver {

  /** Value of an index's descriptor: the name of the table that it belongs to. */
  private static final String PHOENIX_DATA_TABLE = "DATA_TABLE_NAME";

  /** Value of the descriptor of a table that Phoenix made transactional later. */
  private static final String PHOENIX_ADOPTED = "data.tx.read.pre.existing";

  private static final byte[] PHOENIX_TTL =
      TableRetention.PHOENIX_TTL_KEY.getBytes(StandardCharsets.UTF_8);

  /** Begins the name of the table for the indexes of a table's views. */
  private static final String PHOENIX_VIEW_INDEXES = "_IDX_";

  /** The master; null on other servers. Set by {@link #start}. */
  private @Nullable MasterServices master;

  @Override
  public Optional<MasterObserver> getMasterObserver() {
    return Optional.of(this);
  }

  @Override
  public void start(CoprocessorEnvironment environment) {
    if (environment instanceof HasMasterServices services) {
      master = services.getMasterServices();
    }
  }

  @Override
  public TableDescriptor preCreateTableRegionsInfos(
      ObserverContext<MasterCoprocessorEnvironment> context, TableDescriptor table)
      throws IOException {
    return Guard.call(
        "preCreateTableRegionsInfos",
        () -> requireReadable(isNamed(table) == isSet(table) ? table : created(table)));
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

  /** Checks again under HBase's lock of the table, which changes one after the other hold. */
  @Override
  public void preModifyTableAction(
      ObserverContext<MasterCoprocessorEnvironment> context,
      TableName name,
      TableDescriptor present,
      TableDescriptor table)
      throws IOException {
    Guard.run("preModifyTableAction", () -> requireNotOutdated(present, table));
  }

  /**
   * Refuses to truncate a region of a transactional table: HBase records nothing of it, so open
   * transactions would not be refused, as they are after all of the table was truncated.
   */
  @Override
  public void preTruncateRegion(
      ObserverContext<MasterCoprocessorEnvironment> context, RegionInfo region) {
    try {
      TableDescriptor table =
          master == null ? null : master.getTableDescriptors().get(region.getTable());
      if (table != null && isSet(table)) {
        throw new DoNotRetryIOException(
            "a region of a transactional table cannot be truncated: delete its rows in a"
                + " transaction, or truncate the table, table="
                + region.getTable()
                + " region="
                + region.getEncodedName());
      }
    } catch (IOException e) {
      throw undeclared(e);
    }
  }

  /** Throws a failure that the hook does not declare, and that HBase passes on to the client. */
  @SuppressWarnings("unchecked")
  private static <E extends Throwable> RuntimeException undeclared(Throwable failure) throws E {
    throw (E) failure;
  }

  /**
   * Refuses a descriptor that was made from an earlier one: with lower floors, one of a plain table
   * where writers have not been shut out, or one that begins or ends transactions and lacks a
   * family that was added meanwhile.
   */
  private void requireNotOutdated(TableDescriptor present, TableDescriptor table)
      throws IOException {
    boolean changesPhase =
        !Objects.equals(
            present.getValue(TableSettings.PHASE_KEY), table.getValue(TableSettings.PHASE_KEY));
    if (changesPhase && !table.getColumnFamilyNames().containsAll(present.getColumnFamilyNames())) {
      throw outdated(table);
    }
    if (!isSet(present)) {
      return;
    }
    if (!isSet(table)) {
      if (Phase.ENABLED.name().equals(present.getValue(TableSettings.PHASE_KEY))) {
        throw outdated(table);
      }
      return;
    }
    TableSettings before = TableSettings.of(present).orElseThrow();
    TableSettings after = TableSettings.of(table).orElseThrow();
    if (after.floor() < before.floor() || after.schemaFloor() < before.schemaFloor()) {
      throw outdated(table);
    }
    boolean isIndexed = after.schemaFloor() > before.schemaFloor();
    if (after.plainClients() == PlainClients.PHOENIX
        && (isIndexed || !lifetimes(table).equals(lifetimes(present)))) {
      requireLegalTtl(table);
    }
  }

  private static IOException outdated(TableDescriptor table) {
    return new DoNotRetryIOException(
        "the table was changed by another client meanwhile: nothing was changed now; repeat it,"
            + " table="
            + table.getTableName());
  }

  private static TableDescriptor requireReadable(TableDescriptor table) throws IOException {
    try {
      TableSettings.of(table);
      return table;
    } catch (IllegalArgumentException e) {
      throw new DoNotRetryIOException("the settings cannot be read: " + e.getMessage(), e);
    }
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
    requireLegalTtl(kept.build());
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
    TableDescriptor modified = kept.build();
    if (TableSettings.of(modified).orElseThrow().plainClients() == PlainClients.PHOENIX
        && !lifetimes(modified).equals(lifetimes(present))) {
      requireLegalTtl(modified);
    }
    return changed ? modified : table;
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
    ColumnFamilyDescriptorBuilder kept =
        family.getMaxVersions() == HConstants.ALL_VERSIONS
            ? ColumnFamilyDescriptorBuilder.newBuilder(family)
            : TableRetention.translated(family);
    if (family.getTimeToLive() != HConstants.FOREVER) { // also if there is one of ours
      kept.setValue(
          TableRetention.TTL_KEY, Long.toString(TimeUnit.SECONDS.toMillis(family.getTimeToLive())));
    }
    return KeptSchema.keeping(kept);
  }

  /** Returns the lifetimes of values in milliseconds, of families where they expire. */
  private static Map<Bytes, Long> lifetimes(TableDescriptor table) {
    Map<Bytes, Long> lifetimes = new HashMap<>();
    TableRetention.of(table)
        .families()
        .forEach(
            (family, retention) -> {
              if (retention.lifetimeMillis() != FamilyRetention.FOREVER) {
                lifetimes.put(family, retention.lifetimeMillis());
              }
            });
    return lifetimes;
  }

  /**
   * Refuses TTL where it is not allowed, and an index of a table whose values expire: the index has
   * rows that are not written again with those of the table, or later than they, so that it would
   * show other rows.
   */
  private void requireLegalTtl(TableDescriptor table) throws IOException {
    if (master == null) {
      return;
    }
    boolean expires = !lifetimes(table).isEmpty();
    if (expires && !RegionServerSettings.SQL_TTL.read(master.getConfiguration()::getTrimmed)) {
      throw new DoNotRetryIOException(
          "TTL lets values of a transactional table of Phoenix expire one by one, so that rows lose"
              + " columns. If the table has one column beside its key, set "
              + RegionServerSettings.SQL_TTL.name()
              + " to true in hbase-site.xml of the masters, table="
              + table.getTableName());
    }
    if (Boolean.parseBoolean(table.getValue(PHOENIX_ADOPTED))
        && Arrays.stream(table.getColumnFamilies())
            .anyMatch(family -> family.getValue(PHOENIX_TTL) != null)) {
      throw new DoNotRetryIOException(
          "an adopted table cannot get TTL by SQL: use LamponeAdmin.expireAfter, table="
              + table.getTableName());
    }
    for (TableDescriptor other : master.getTableDescriptors().getAll().values()) {
      boolean isPair =
          expires && isIndex(other, table)
              || isIndex(table, other) && (expires || !lifetimes(other).isEmpty());
      if (isPair) {
        throw new DoNotRetryIOException(
            "a table with TTL has no index, which would show other rows than the table: drop one of"
                + " them, table="
                + table.getTableName()
                + " other="
                + other.getTableName());
      }
    }
  }

  private static boolean isIndex(TableDescriptor index, TableDescriptor table) {
    TableName name = table.getTableName();
    TableName views =
        TableName.valueOf(
            name.getNamespaceAsString(), PHOENIX_VIEW_INDEXES + name.getQualifierAsString());
    return name.getNameAsString().equals(index.getValue(PHOENIX_DATA_TABLE))
        || views.equals(index.getTableName());
  }

  private long floor(TableName table) throws IOException {
    try {
      if (master == null) {
        throw new IOException("the coprocessor is not on a master");
      }
      return FreshTimestamp.ask(master.getZooKeeper());
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
