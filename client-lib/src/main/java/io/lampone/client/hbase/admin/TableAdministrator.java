package io.lampone.client.hbase.admin;

import io.lampone.client.AdoptionReport;
import io.lampone.client.ChangeListener;
import io.lampone.client.LamponeAdmin;
import io.lampone.client.LamponeException;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.TransactionMode;
import io.lampone.client.hbase.TableCache;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.hbase.KeptSchema;
import io.lampone.hbase.TableRetention;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.Phase;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.TransactionManager;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Makes tables transactional, and plain again. Each change is a sequence of steps that may be
 * interrupted anywhere and repeated from the beginning: completed steps have no effect again.
 *
 * <pre>
 *   plain --schema, observer, CHANGING--> changing --fresh floor, ENABLED--> enabled
 *   enabled --fresh floor, CHANGING--> changing --resolve, rewrite--> changing --remove--> plain
 * </pre>
 *
 * The floor is taken after every region has the observer: a transaction that began before it, and
 * may have written or read without the observer, is refused.
 */
public final class TableAdministrator implements LamponeAdmin {

  private final StoreAccess access;
  private final SchemaSteps steps;
  private final OpenTransaction.Services services;

  public TableAdministrator(
      StoreAccess access,
      TableCache tables,
      TransactionManager manager,
      OpenTransaction.Services services) {
    this(access, new SchemaSteps(access, tables, manager, ChangeListener.NONE), services);
  }

  private TableAdministrator(
      StoreAccess access, SchemaSteps steps, OpenTransaction.Services services) {
    this.access = access;
    this.steps = steps;
    this.services = services;
  }

  @Override
  public void createTable(TableDescriptor table, ConflictLevel level, byte[]... splitKeys)
      throws IOException {
    SchemaRules.check(table);
    steps.create(
        TableChanges.withObserver(
            SchemaRules.adopted(table), steps.settings(table, Phase.ENABLED, level)),
        splitKeys);
  }

  @Override
  public void enableTable(TableName table, ConflictLevel level) throws IOException {
    enable(table, level, Optional.empty());
  }

  @Override
  public void enableTable(TableName table, ConflictLevel level, PlainClients plainClients)
      throws IOException {
    enable(table, level, Optional.of(plainClients));
  }

  private void enable(TableName table, ConflictLevel level, Optional<PlainClients> plainClients)
      throws IOException {
    TableDescriptor present = steps.descriptor(table);
    Optional<TableSettings> settings = TableSettings.of(present);
    if (settings.isPresent() && settings.get().phase() == Phase.ENABLED) {
      changeEnabled(present, settings.get(), level, plainClients);
      return;
    }
    requireRestored(present, "restore again to finish it, or drop it");
    if (settings.isEmpty()) {
      SchemaRules.checkAdoptable(present);
    } else {
      SchemaRules.check(present);
    }
    // A table that is being disabled holds versions of ours, and has no such mark.
    boolean adopting = settings.isEmpty() || present.getValue(TableSettings.UNCHECKED_KEY) != null;
    if (!adopting && settings.get().level() != level) {
      throw TableChanges.refused(
          "disabling the table was broken off, and what is undecided in it was written at its level:"
              + " finish 'table disable' first, or enable it at level="
              + settings.get().level()
              + ", table="
              + table);
    }
    // As a plain table it had no past, or one that disabling has begun to rewrite.
    TableDescriptorBuilder builder =
        TableDescriptorBuilder.newBuilder(
            TableRetention.renewed(SchemaRules.kept(present, adopting), steps.heard()));
    if (settings.isEmpty()) {
      steps.checkVersions(table);
      builder.setValue(TableSettings.UNCHECKED_KEY, "true");
    }
    plainClients.ifPresent(
        choice -> builder.setValue(TableSettings.PLAIN_CLIENTS_KEY, choice.name()));
    TableSettings closed = steps.settings(builder.build(), Phase.CHANGING, level);
    TableDescriptor changing = TableChanges.withObserver(builder.build(), closed);
    TableChanges.requireSame(present, steps.descriptor(table)); // the check may take long
    steps.modify("Closing to writers", changing);
    if (adopting) {
      try {
        SchemaRules.check(steps.descriptor(table));
        steps.checkVersions(table);
      } catch (LamponeException e) {
        // Written between the first check and the observer's arrival. Nothing of ours is there.
        TableDescriptor tainted = TableChanges.stillClosed(steps.descriptor(table), closed);
        boolean untouched = settings.isEmpty() && tainted.equals(changing);
        steps.modify("Undoing", untouched ? present : TableChanges.plain(tainted));
        throw e;
      }
    }
    // A family may have been added meanwhile.
    TableDescriptor current =
        SchemaRules.kept(TableChanges.stillClosed(steps.descriptor(table), closed), adopting);
    steps.modify(
        "Opening",
        TableDescriptorBuilder.newBuilder(
                TableChanges.withObserver(current, steps.settings(current, Phase.ENABLED, level)))
            .removeValue(TableSettings.UNCHECKED_KEY)
            .build());
  }

  private static void requireRestored(TableDescriptor present, String remedy)
      throws LamponeException {
    if (present.getValue(TableSettings.RESTORING_KEY) != null) {
      throw TableChanges.refused(
          "the table is being restored and not complete: "
              + remedy
              + ", table="
              + present.getTableName());
    }
  }

  /** Changes an enabled table: only the rule for plain clients can be changed. */
  private void changeEnabled(
      TableDescriptor present,
      TableSettings settings,
      ConflictLevel level,
      Optional<PlainClients> plainClients)
      throws IOException {
    if (settings.level() != level) {
      throw TableChanges.refused(
          "the table is enabled at another level: disable it first, table="
              + present.getTableName()
              + " level="
              + settings.level());
    }
    if (plainClients.isPresent()) {
      steps.modify(
          "Changing",
          TableDescriptorBuilder.newBuilder(present)
              .setValue(TableSettings.PLAIN_CLIENTS_KEY, plainClients.get().name())
              .build());
    }
  }

  @Override
  public void fenceTable(TableName table) throws IOException {
    TableDescriptor present = steps.descriptor(table);
    TableSettings settings =
        TableSettings.of(present)
            .filter(known -> known.phase() == Phase.ENABLED)
            .orElseThrow(
                () ->
                    TableChanges.refused(
                        "the table is not transactional, or being changed: enable it, table="
                            + table));
    steps.modify(
        "Fencing",
        TableChanges.withObserver(
            present, steps.settings(present, Phase.ENABLED, settings.level())));
  }

  @Override
  public AdoptionReport inspectTable(TableName table) throws IOException {
    return new AdoptionInspection(access, steps.descriptor(table)).report();
  }

  @Override
  public LamponeAdmin reportingTo(ChangeListener newListener) {
    return new TableAdministrator(access, steps.reportingTo(newListener), services);
  }

  @Override
  public boolean createForRestore(TableDescriptor exported, String backup, byte[]... splitKeys)
      throws IOException {
    TableDescriptor table = SchemaRules.restorable(exported);
    SchemaRules.check(table);
    TableName name = table.getTableName();
    if (steps.await(steps.admin().tableExists(name))) {
      TableDescriptor present = steps.descriptor(name);
      if (backup.equals(present.getValue(TableSettings.RESTORING_KEY))
          && Objects.equals(
              present.getValue(TableSettings.RESTORED_TABLE_KEY),
              exported.getValue(TableSettings.RESTORED_TABLE_KEY))) {
        // A restore that was stopped while it dropped the table has left it so.
        if (steps.await(steps.admin().isTableDisabled(name))) {
          steps.await(steps.admin().enableTable(name));
        }
        return false;
      }
      throw TableChanges.refused(
          "the table exists already, and a backup is restored into new tables only: choose another"
              + " name, or drop the table first, table="
              + name);
    }
    steps.create(
        TableDescriptorBuilder.newBuilder(table)
            .setValue(TableSettings.RESTORING_KEY, backup)
            .build(),
        splitKeys);
    return true;
  }

  @Override
  public void finishRestore(TableName table, ConflictLevel level) throws IOException {
    TableDescriptor present = steps.descriptor(table);
    String backup = present.getValue(TableSettings.RESTORING_KEY);
    if (backup == null) {
      if (TableSettings.of(present).isPresent()) {
        return;
      }
      throw TableChanges.refused("the table is not being restored, table=" + table);
    }
    TableDescriptor kept = TableRetention.renewed(present, steps.heard());
    TableSettings closed = steps.settings(kept, Phase.CHANGING, level);
    steps.modify("Closing to writers", TableChanges.withObserver(kept, closed));
    TableDescriptor current = TableChanges.stillClosed(steps.descriptor(table), closed);
    // In one step: complete, and transactional.
    steps.modify(
        "Opening",
        TableDescriptorBuilder.newBuilder(
                TableChanges.withObserver(current, steps.settings(current, Phase.ENABLED, level)))
            .removeValue(TableSettings.RESTORING_KEY)
            .removeValue(TableSettings.RESTORING_FULL_KEY)
            .setValue(TableSettings.RESTORED_KEY, backup)
            .build());
  }

  @Override
  public void raiseSchemaFloor(TableName table, long floor) throws IOException {
    TableDescriptor present = TableChanges.transactional(steps.descriptor(table));
    // Also if it is as high: HBase stores a descriptor before it reopens the regions for it.
    long above = TableSettings.of(present).orElseThrow().schemaFloor() + Timestamps.TICK;
    steps.modify(
        "Changing",
        TableDescriptorBuilder.newBuilder(present)
            .setValue(TableSettings.SCHEMA_FLOOR_KEY, Long.toString(Math.max(floor, above)))
            .build());
  }

  @Override
  public void keepLonger(TableName table, Duration extra) throws IOException {
    TableDescriptor present = TableChanges.transactional(steps.descriptor(table));
    if (extra.isNegative() || extra.compareTo(LONGEST_EXTRA) > 0) {
      throw TableChanges.refused(
          "a table keeps as much as the cluster, and up to ten years more, extra=" + extra);
    }
    steps.keepLonger(present, extra);
  }

  @Override
  public void expireAfter(TableName table, byte[] family, Duration lifetime) throws IOException {
    if (lifetime.isNegative() || !lifetime.isZero() && lifetime.toMillis() == 0) {
      throw TableChanges.refused(
          "a lifetime is zero, or a millisecond at least, table="
              + table
              + " lifetime="
              + lifetime);
    }
    change(table, family, present -> TableRetention.expiring(present, lifetime));
  }

  @Override
  public void letCellsExpire(TableName table, byte[] family, boolean allowed) throws IOException {
    change(table, family, present -> TableRetention.cellsExpiring(present, allowed));
  }

  @Override
  public boolean upgradeTable(TableName table) throws IOException {
    TableDescriptor present = TableChanges.transactional(steps.descriptor(table));
    TableDescriptor upgraded = KeptSchema.withObserver(present);
    if (upgraded.equals(present)) {
      return false;
    }
    steps.modify("Upgrading", upgraded);
    return true;
  }

  /** Changes the retention rules of a family of a transactional table. */
  private void change(
      TableName table,
      byte[] family,
      Function<ColumnFamilyDescriptor, ColumnFamilyDescriptorBuilder> change)
      throws IOException {
    TableDescriptor present = TableChanges.transactional(steps.descriptor(table));
    if (!present.hasColumnFamily(family)) {
      throw TableChanges.refused("no such family, table=" + table + " family=" + Bytes.of(family));
    }
    steps.modify(
        "Changing",
        TableDescriptorBuilder.newBuilder(present)
            .modifyColumnFamily(change.apply(present.getColumnFamily(family)).build())
            .build());
  }

  @Override
  public void disableTable(TableName table) throws IOException {
    TableDescriptor present = steps.descriptor(table);
    Optional<TableSettings> settings = TableSettings.of(present);
    if (settings.isEmpty()) {
      if (present.hasCoprocessor(TableSettings.COPROCESSOR)) {
        try {
          steps.checkVersions(table);
        } catch (LamponeException e) {
          long floor = steps.begin().startTimestamp();
          throw TableChanges.lostSettings(table, floor, e);
        }
        steps.modify("Opening", TableChanges.plain(present));
        steps.requestCompaction(table);
      }
      return;
    }
    requireRestored(present, "restore again to finish it, and disable it then, or drop it");
    if (present.getValue(TableSettings.UNCHECKED_KEY) != null) {
      // It was never enabled: large versions in it are not ours, and nothing needs settling.
      steps.modify("Opening", TableChanges.plain(present));
      return;
    }
    // Its other settings stay: after an interruption, the table may be opened again as it was.
    TableSettings closed = steps.settings(present, Phase.CHANGING, settings.get().level());
    steps.modify("Closing to writers", TableChanges.withObserver(present, closed));
    MaintenancePages pages = new MaintenancePages(access, steps, steps.progress());
    Begin settling = steps.begin();
    new ResolveIntents(services.store(), steps, access.driver(), table, settling.floor())
        .settle(pages, steps::allTables);
    // Open transactions may have committed until now, above snapshots that have begun meanwhile.
    TableSettings rewriting = steps.settings(present, Phase.CHANGING, settings.get().level());
    steps.modify(
        "Closing to older snapshots",
        TableChanges.withObserver(
            TableChanges.stillClosed(steps.descriptor(table), closed), rewriting));
    new DetransactionalizeRows(access, steps, pages, () -> snapshot(services), table).rewrite();
    steps.modify(
        "Opening",
        TableChanges.plain(TableChanges.stillClosed(steps.descriptor(table), rewriting)));
    steps.requestCompaction(table);
  }

  private OpenTransaction snapshot(OpenTransaction.Services shared) throws IOException {
    long deadlineNanos = access.clock().monotonicNanos() + SchemaSteps.TIMEOUT.toNanos();
    return new OpenTransaction(
        steps.begin(), new TransactionMode(true, true, false), shared, deadlineNanos);
  }

  @Override
  public List<TransactionalTable> listTables() throws IOException {
    return tables().sound();
  }

  @Override
  public List<UnreadableTable> listUnreadableTables() throws IOException {
    return tables().unreadable();
  }

  private TableList tables() throws IOException {
    return TableList.of(steps.await(steps.admin().listTableDescriptors()));
  }
}
