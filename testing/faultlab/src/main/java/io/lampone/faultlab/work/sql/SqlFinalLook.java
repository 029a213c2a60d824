package io.lampone.faultlab.work.sql;

import io.lampone.checker.format.HistoryWriter;
import io.lampone.faultlab.work.ClientTally;
import io.lampone.faultlab.work.LineWriter;
import io.lampone.faultlab.work.Recorder;
import io.lampone.faultlab.work.Stamps;
import io.lampone.faultlab.work.StepKind;
import io.lampone.faultlab.work.WorkloadKind;
import io.lampone.faultlab.work.client.ClientMain;
import io.lampone.faultlab.work.client.ClientPlan;
import io.lampone.phoenix.LamponePhoenix;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.TableName;

/** Tables in SQL before and after a round. */
public final class SqlFinalLook {

  private final Path site;
  private final WorkloadKind kind;
  private final List<TableName> names;

  /**
   * @param site hbase-site.xml of the cluster
   * @param names of the tables
   */
  public SqlFinalLook(Path site, WorkloadKind kind, List<TableName> names) {
    this.site = site;
    this.kind = kind;
    this.names = List.copyOf(names);
  }

  /** Creates the tables; the first connection to a cluster creates Phoenix's catalogue. */
  public void create() throws IOException {
    try (Connection connection = SqlConnections.connect(site)) {
      SqlBank.of(names).create(connection);
    } catch (SQLException e) {
      throw new IOException("the tables in SQL were not created: " + e.getMessage(), e);
    }
  }

  /**
   * Reads all rows, by the table and by the index, as the last transaction of the history.
   *
   * @param parts folder of its part of the history, which another attempt begins anew
   * @param violations receives what no history expresses, too
   */
  public void read(Path parts, long seed, Clock clock, Consumer<String> violations)
      throws IOException {
    Path file = ClientPlan.part(parts, kind, Stamps.LAST_CLIENT);
    try (HistoryWriter writer =
            new HistoryWriter(
                new LineWriter(Files.newBufferedWriter(file)),
                ClientMain.header(kind, names, seed),
                "lampone",
                clock::monotonicNanos);
        Connection connection = SqlConnections.connect(site)) {
      connection.setAutoCommit(false);
      Recorder recorder =
          new Recorder(
              kind, writer, new Stamps(Stamps.LAST_CLIENT), new ClientTally(List.of(kind)), clock);
      recorder.begin(StepKind.LAST_LOOK);
      SqlSteps steps =
          new SqlSteps(connection, SqlBank.of(names), violations.andThen(recorder::violation));
      steps.readAccounts();
      steps.readRegisters();
      connection.commit();
      recorder.lastLook(steps.operations(), LamponePhoenix.timestamps(connection).start());
    } catch (SQLException e) {
      throw new IOException("the last look in SQL: " + e.getMessage(), e);
    }
  }
}
