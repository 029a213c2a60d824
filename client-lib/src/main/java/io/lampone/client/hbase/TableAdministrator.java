package io.lampone.client.hbase;

import io.lampone.client.LamponeAdmin;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.core.OpenTransaction;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.Phase;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.tm.TimestampOracle;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncAdmin;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Makes tables transactional, and plain again. Each change is a sequence of steps that may be broken
 * off anywhere and done again from the beginning: what is done already is found done.
 *
 * <pre>
 *   plain --schema, observer, CHANGING--> changing --fresh floor, ENABLED--> enabled
 *   enabled --fresh floor, CHANGING--> changing --resolve, rewrite--> changing --remove--> plain
 * </pre>
 *
 * The floor is taken after every region has the observer: a transaction that began before it, and may
 * have written or read without the observer, is refused.
 */
public final class TableAdministrator implements LamponeAdmin {

  /** Changing a descriptor reopens every region, and rewriting a table takes a pass over it. */
  private static final long STEP_TIMEOUT_MINUTES = 60;

  private final StoreAccess access;
  private final TableCache tables;
  private final TimestampOracle oracle;
  private final OpenTransaction.Services services;

  public TableAdministrator(
      StoreAccess access,
      TableCache tables,
      TimestampOracle oracle,
      OpenTransaction.Services services) {
    this.access = access;
    this.tables = tables;
    this.oracle = oracle;
    this.services = services;
  }

  @Override
  public void createTable(TableDescriptor table, ConflictLevel level, byte[]... splitKeys)
      throws IOException {
    SchemaRules.check(table);
    TableDescriptor transactional =
        withObserver(SchemaRules.corrected(table), new TableSettings(Phase.ENABLED, level, floor()));
    await(
        splitKeys.length == 0
            ? admin().createTable(transactional)
            : admin().createTable(transactional, splitKeys));
    tables.invalidate(table.getTableName());
  }

  @Override
  public void enableTable(TableName table, ConflictLevel level) throws IOException {
    TableDescriptor present = descriptor(table);
    Optional<TableSettings> settings = TableSettings.of(present);
    if (settings.isPresent() && settings.get().phase() == Phase.ENABLED) {
      if (settings.get().level() == level) {
        return;
      }
      throw new LamponeException(
          Code.BAD_REQUEST,
          0,
          "the table is enabled at another level: disable it first, table="
              + table
              + " level="
              + settings.get().level());
    }
    SchemaRules.check(present);
    if (settings.isEmpty()) {
      // A table that is being changed already holds versions of ours.
      new VersionCheck(access, this::await).refuseLargeVersions(table);
    }
    TableDescriptor changing =
        withObserver(
            SchemaRules.corrected(present), new TableSettings(Phase.CHANGING, level, floor()));
    modify(changing);
    modify(withObserver(changing, new TableSettings(Phase.ENABLED, level, floor())));
  }

  @Override
  public void disableTable(TableName table) throws IOException {
    TableDescriptor present = descriptor(table);
    Optional<TableSettings> settings = TableSettings.of(present);
    if (settings.isEmpty()) {
      return;
    }
    ConflictLevel level = settings.get().level();
    modify(withObserver(present, new TableSettings(Phase.CHANGING, level, floor())));
    new PlainRewrite(access, oracle, services, this::await).rewrite(descriptor(table));
    TableDescriptorBuilder plain = TableDescriptorBuilder.newBuilder(descriptor(table));
    TableSettings.removeFrom(plain).removeCoprocessor(TableSettings.COPROCESSOR);
    modify(plain.build());
  }

  @Override
  public List<TransactionalTable> listTables() throws IOException {
    List<TransactionalTable> list = new ArrayList<>();
    for (TableDescriptor table : await(admin().listTableDescriptors())) {
      TableSettings.of(table)
          .ifPresent(
              settings ->
                  list.add(
                      new TransactionalTable(
                          table.getTableName(),
                          settings.level(),
                          settings.phase() == Phase.CHANGING)));
    }
    return list;
  }

  private static TableDescriptor withObserver(TableDescriptor table, TableSettings settings)
      throws IOException {
    TableDescriptorBuilder changed = TableDescriptorBuilder.newBuilder(table);
    if (!table.hasCoprocessor(TableSettings.COPROCESSOR)) {
      changed.setCoprocessor(
          CoprocessorDescriptorBuilder.newBuilder(TableSettings.COPROCESSOR)
              .setPriority(TableSettings.COPROCESSOR_PRIORITY)
              .build());
    }
    return settings.applyTo(changed).build();
  }

  private TableDescriptor descriptor(TableName table) throws IOException {
    return await(admin().getDescriptor(table));
  }

  /** Changes a descriptor and waits until every region has it. */
  private void modify(TableDescriptor table) throws IOException {
    await(admin().modifyTable(table));
    tables.invalidate(table.getTableName());
  }

  private long floor() throws IOException {
    return await(oracle.begin()).startTimestamp();
  }

  private AsyncAdmin admin() {
    return access
        .connection()
        .getAdminBuilder()
        .setOperationTimeout(STEP_TIMEOUT_MINUTES, TimeUnit.MINUTES)
        .build();
  }

  private <T> T await(CompletableFuture<T> step) throws IOException {
    try {
      return step.get(STEP_TIMEOUT_MINUTES, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException)
          new InterruptedIOException("interrupted: do it again to finish it").initCause(e);
    } catch (TimeoutException e) {
      throw new LamponeException(
          Code.STORE_UNAVAILABLE, 0, "no answer in time: do it again to finish it", e);
    } catch (ExecutionException e) {
      throw FailureTranslator.translate(e, 0);
    }
  }
}
