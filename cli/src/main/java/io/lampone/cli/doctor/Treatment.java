package io.lampone.cli.doctor;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOutcome;
import io.lampone.client.hbase.admin.SchemaReport;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;

/** Safe treatment of the doctor's findings. Not thread-safe. */
public final class Treatment {

  private final Connection connection;
  private final LamponeClient client;
  private final AbsentTables dropped;
  private final LeaderCompletion completion;

  /**
   * @param floor the smallest start timestamp still admissible
   */
  public Treatment(Connection connection, Doctor.Passes passes, LamponeClient client, long floor) {
    this.connection = connection;
    this.client = client;
    this.dropped = new AbsentTables(connection);
    this.completion = new LeaderCompletion(connection, passes, dropped, floor);
  }

  /**
   * Resolves a transaction as a reader does and heals the row by reading it; finishes a committed
   * one as the healer does; or corrects a schema.
   *
   * @return the result for the user
   */
  public String of(DoctorFinding finding) throws IOException {
    if (finding.ailment() == Ailment.WRONG_SCHEMA) {
      return correctSchema(TableName.valueOf(finding.table()));
    }
    if (!finding.ailment().isFixable() || finding.transaction().isEmpty()) {
      return "nothing that is safe";
    }
    TransactionId id = finding.transaction().get();
    if (finding.ailment() == Ailment.UNFINISHED_LEADER) {
      return completion.finish(id.leader(), id.startTimestamp());
    }
    if (finding.intent().isPresent() && RowExamination.isHidden(id.leader())) {
      read(finding.intent().get());
      return "settled: by the region server of the row";
    }
    if (finding.intent().isPresent() && dropped.contains(id.leader().table())) {
      // It can no longer commit. The drop is established before the pending state is checked.
      return completion.abort(finding.intent().get(), id.startTimestamp());
    }
    TransactionOutcome outcome = client.status(id);
    if (outcome instanceof TransactionOutcome.Running && finding.intent().isPresent()) {
      read(finding.intent().get()); // ends one that has a commit timestamp and has lost its client
      outcome = client.status(id);
    }
    if (outcome instanceof TransactionOutcome.Running) {
      return "left alone: it may still be at work";
    }
    if (outcome instanceof TransactionOutcome.TooOld) {
      return "left to the healer: its leader is gone, and it began below the safe point";
    }
    if (finding.intent().isPresent()) {
      read(finding.intent().get());
    }
    return "settled: " + outcome;
  }

  /** Reopens the regions of the table; drops nothing. */
  private String correctSchema(TableName table) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      TableDescriptor present = admin.getDescriptor(table);
      Optional<TableSettings> settings = TableSettings.of(present);
      if (settings.isEmpty()) {
        return "left alone: it is not transactional any more";
      }
      if (settings.get().phase() != TableSettings.Phase.ENABLED) {
        return "left alone: it is being enabled or disabled, and may have another schema then";
      }
      TableDescriptor corrected = SchemaReport.corrected(present);
      if (corrected.equals(present)) {
        return "left alone: nothing but a TTL is wrong, or it has been corrected";
      }
      admin.modifyTable(corrected);
      return "corrected";
    }
  }

  /** Reads a row at a new snapshot, which heals its decided intents. */
  private void read(RowFamily place) throws IOException {
    try (Transaction reader = client.readOnly();
        Table table = reader.table(TableName.valueOf(place.table()))) {
      table.get(new Get(place.row().toArray()).addFamily(place.family().toArray()));
    }
  }
}
