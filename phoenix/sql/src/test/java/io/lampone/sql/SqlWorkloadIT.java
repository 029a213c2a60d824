package io.lampone.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.checker.AnomalyKind;
import io.lampone.checker.History;
import io.lampone.checker.Outcome;
import io.lampone.checker.SnapshotIsolationChecker;
import io.lampone.checker.Verdict;
import io.lampone.checker.format.HistoryReader;
import io.lampone.checker.format.HistoryWriter;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.coprocessor.TableGuard;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.faultlab.work.ClientTally;
import io.lampone.faultlab.work.LabClientSession;
import io.lampone.faultlab.work.LabWorkload;
import io.lampone.faultlab.work.Recorder;
import io.lampone.faultlab.work.Stamps;
import io.lampone.faultlab.work.WorkloadKind;
import io.lampone.faultlab.work.client.ClientMain;
import io.lampone.faultlab.work.sql.SqlFinalLook;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The workload {@code sql} of the fault lab without faults: its history is clean, and the same
 * judge finds that a row of the index is missing.
 */
class SqlWorkloadIT {

  private static final WorkloadKind KIND = WorkloadKind.SQL;
  private static final long ROUND = 1;
  private static final int STEPS = 120;

  private final List<TableName> tables = KIND.tables(ROUND);

  @TempDir Path folder;

  @Test
  void historiesAreJudged_andALostIndexRowIsFound() throws Exception {
    EmbeddedHBaseConfig config =
        EmbeddedHBaseConfig.builder(folder.resolve("data"))
            .masterCoprocessor(TableGuard.class)
            .setting("phoenix.transactions.enabled", "true")
            .build();
    try (EmbeddedLampone cluster = EmbeddedLampone.start(config);
        LamponeClient client = LamponeClient.connect(cluster.clientConfiguration())) {
      Path site = folder.resolve("hbase-site.xml");
      try (OutputStream out = Files.newOutputStream(site)) {
        cluster.clientConfiguration().writeXml(out);
      }
      SqlFinalLook look = new SqlFinalLook(site, KIND, tables);
      look.create();
      History clean = history(client, site, 0);
      Verdict verdict = SnapshotIsolationChecker.check(clean);
      assertThat(verdict.anomalies()).isEmpty();
      assertThat(clean.violations()).isEmpty();
      KIND.checks().forEach(check -> assertThat(check.violations(clean)).isEmpty());
      assertThat(clean.transactions())
          .as("transactions, reads of all accounts, and statements of the fast path")
          .anyMatch(each -> each.writes() && each.startTimestamp() != 0 && !each.fastPath())
          .anyMatch(each -> each.operations().size() > 30)
          .anyMatch(each -> each.writes() && each.fastPath() && each.commitTimestamp() != 0)
          .anyMatch(each -> !each.writes() && each.fastPath())
          .filteredOn(each -> each.outcome() == Outcome.UNKNOWN)
          .isEmpty();

      loseAnIndexRow(client);
      List<String> violations = new ArrayList<>();
      look.read(folder, ROUND, SystemClock.INSTANCE, violations::add);
      History last = read(folder.resolve(KIND.label() + ".part-" + Stamps.LAST_CLIENT));
      assertThat(last.violations()).anyMatch(text -> text.contains("index="));
      assertThat(violations).isEqualTo(last.violations());
      History broken = history(client, site, 1);
      assertThat(SnapshotIsolationChecker.check(broken).anomalies())
          .anyMatch(anomaly -> anomaly.kind() == AnomalyKind.READ_SKEW);
    }
  }

  /** Runs the workload by one thread. */
  private History history(LamponeClient client, Path site, int number) throws IOException {
    Path file = folder.resolve("history-" + number);
    try (HistoryWriter writer =
        new HistoryWriter(
            Files.newBufferedWriter(file),
            ClientMain.header(KIND, tables, ROUND),
            "lampone",
            SystemClock.INSTANCE::monotonicNanos)) {
      Stamps stamps = new Stamps(number);
      Recorder recorder =
          new Recorder(KIND, writer, stamps, new ClientTally(List.of(KIND)), SystemClock.INSTANCE);
      LabClientSession session =
          new LabClientSession(client, tables, recorder, stamps, new Random(ROUND), 0, 0);
      LabWorkload workload = KIND.create(site);
      for (int i = 0; i < STEPS; i++) {
        workload.step(session);
      }
      assertThat(workload.events().counts()).containsKey("client.fast-write.committed");
    }
    return read(file);
  }

  private static History read(Path file) throws IOException {
    try (var lines = Files.newBufferedReader(file)) {
      return HistoryReader.read(lines);
    }
  }

  /** Deletes a row of the index, and none of the table. */
  private void loseAnIndexRow(LamponeClient client) throws IOException {
    try (Transaction transaction = client.begin()) {
      Table index = transaction.table(tables.get(2));
      try (ResultScanner scanner = index.getScanner(new Scan().setLimit(1))) {
        Result row = scanner.next();
        index.delete(new Delete(row.getRow()));
      }
      transaction.commit();
    }
  }
}
