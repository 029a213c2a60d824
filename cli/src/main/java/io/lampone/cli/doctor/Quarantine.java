package io.lampone.cli.doctor;

import io.lampone.cli.CommandException;
import io.lampone.cli.Failure;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.Phase;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Releases quarantined cells, because of which every request for their rows is refused. Meanwhile
 * the table is closed to writers; on reopening, its floor exceeds all earlier start timestamps. If
 * the reopening fails, the table stays {@code BEING_CHANGED}; {@code table enable} opens it.
 */
public final class Quarantine {

  private static final byte[] MAINTENANCE = {1};

  private final Connection connection;
  private final Clock clock;

  /** True from the closing of a table until it is open again. */
  private boolean closing;

  /** Source of fresh timestamps. */
  @FunctionalInterface
  public interface Clock {
    long timestamp() throws IOException;
  }

  public Quarantine(Connection connection, Clock clock) {
    this.connection = connection;
    this.clock = clock;
  }

  /**
   * Releases cells of one table. A transaction cell is replaced by an aborted one, which hides the
   * transaction's writes there; a version of the future is deleted.
   *
   * @param became receives the result of each finding, for the user
   * @return the failure because of which the table stays closed to writers, or after which another
   *     program has it, if there is one
   */
  public Optional<Failure> release(
      TableName name, List<DoctorFinding> findings, BiConsumer<DoctorFinding, String> became) {
    List<DoctorFinding> left = new ArrayList<>(findings);
    try {
      change(
          name,
          findings,
          (finding, result) -> {
            left.remove(finding);
            became.accept(finding, result);
          });
      return Optional.empty();
    } catch (IOException | RuntimeException e) {
      String why = Failure.of(e).message();
      left.forEach(finding -> became.accept(finding, "could not: " + why));
      if (isClosed(name)) {
        return Optional.of(
            new Failure(
                "table=" + name + " takes no writes: " + why,
                "'lampone table enable " + name + "' opens it"));
      }
      return left.isEmpty()
          ? Optional.of(new Failure("table=" + name + ": " + why, "look at 'lampone table list'"))
          : Optional.empty();
    }
  }

  /** Returns true if a table is closed to writers, or may be. */
  private boolean isClosed(TableName name) {
    try (Admin admin = connection.getAdmin()) {
      return TableSettings.of(admin.getDescriptor(name))
          .filter(settings -> settings.phase() == Phase.CHANGING)
          .isPresent();
    } catch (IOException | RuntimeException e) {
      return closing;
    }
  }

  private void change(
      TableName name, List<DoctorFinding> findings, BiConsumer<DoctorFinding, String> became)
      throws IOException {
    try (Admin admin = connection.getAdmin();
        Table table = connection.getTable(name)) {
      TableDescriptor present = admin.getDescriptor(name);
      Optional<TableSettings> settings = TableSettings.of(present);
      if (settings.isEmpty() || settings.get().phase() != Phase.ENABLED) {
        findings.forEach(finding -> became.accept(finding, "left alone: the table is not enabled"));
        return;
      }
      closing = true;
      TableDescriptor closed = in(present, Phase.CHANGING);
      admin.modifyTable(closed);
      try {
        for (DoctorFinding finding : findings) {
          became.accept(finding, end(table, finding));
        }
      } finally {
        reopen(admin, closed);
        closing = false;
      }
    }
  }

  /** Opens the table, unless another program has changed its phase or floor since. */
  private void reopen(Admin admin, TableDescriptor closed) throws IOException {
    TableDescriptor now = admin.getDescriptor(closed.getTableName());
    for (String key : List.of(TableSettings.PHASE_KEY, TableSettings.FLOOR_KEY)) {
      if (!Objects.equals(now.getValue(key), closed.getValue(key))) {
        throw new CommandException("another program has changed the table meanwhile", "");
      }
    }
    admin.modifyTable(in(now, Phase.ENABLED));
  }

  private static String end(Table table, DoctorFinding finding) throws IOException {
    DoctorFinding.Stored cell = finding.cell().orElseThrow();
    boolean abort =
        finding.ailment() != Ailment.IMPOSSIBLE_VERSION && Timestamps.isGlobal(cell.version());
    Mutation mutation = abort ? aborted(cell) : deleted(cell);
    mutation.setAttribute(TableSettings.MAINTENANCE_ATTRIBUTE, MAINTENANCE);
    if (mutation instanceof Put put) {
      table.put(put);
    } else {
      table.delete((Delete) mutation);
    }
    return abort ? "aborted" : "deleted";
  }

  private static Put aborted(DoctorFinding.Stored cell) {
    TransactionCell marker =
        TransactionCell.leader(List.of(), false, 0).withState(TransactionState.ABORTED, 0);
    return new Put(cell.place().row().toArray())
        .addColumn(
            cell.place().family().toArray(),
            Reserved.TRANSACTION.toArray(),
            cell.version(),
            marker.encode());
  }

  private static Delete deleted(DoctorFinding.Stored cell) {
    return new Delete(cell.place().row().toArray())
        .addColumn(cell.place().family().toArray(), cell.qualifier().toArray(), cell.version());
  }

  /** Returns the table in another phase, with a floor above everything that has begun. */
  private TableDescriptor in(TableDescriptor table, Phase phase) throws IOException {
    TableSettings settings = TableSettings.of(table).orElseThrow();
    return new TableSettings(
            phase,
            settings.level(),
            clock.timestamp(),
            settings.fastPath(),
            settings.plainClients(),
            settings.schemaFloor())
        .applyTo(TableDescriptorBuilder.newBuilder(table))
        .build();
  }
}
