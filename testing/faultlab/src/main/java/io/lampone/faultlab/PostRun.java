package io.lampone.faultlab;

import io.lampone.checker.Anomaly;
import io.lampone.checker.History;
import io.lampone.checker.HistoryTransaction;
import io.lampone.checker.Operation;
import io.lampone.checker.Outcome;
import io.lampone.checker.SnapshotIsolationChecker;
import io.lampone.checker.Verdict;
import io.lampone.checker.format.HistoryReader;
import io.lampone.checker.format.HistoryWriter;
import io.lampone.client.LamponeClient;
import io.lampone.client.TransactionOutcome;
import io.lampone.faultlab.fault.FaultKind;
import io.lampone.faultlab.work.OutcomeIds;
import io.lampone.faultlab.work.WorkloadKind;
import io.lampone.faultlab.work.check.Check;
import io.lampone.faultlab.work.check.FinalStateCheck;
import io.lampone.faultlab.work.client.ClientPlan;
import io.lampone.faultlab.work.sql.SqlFinalLook;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;

/** Final steps for a workload, after its clients have ended and everything is healed. */
final class PostRun {

  private static final Duration PAUSE = Duration.ofSeconds(2);

  /** Length up to which all of a round is younger than the usual retention. */
  private static final Duration YOUNG = Duration.ofMinutes(3);

  private final WorkloadKind kind;
  private final LabPlan plan;
  private final Path parts;
  private final Path site;
  private final Clock clock;

  private final Retry retry = new Retry(PAUSE);

  /**
   * @param site hbase-site.xml of the cluster
   */
  PostRun(WorkloadKind kind, LabPlan plan, Path site, Clock clock) {
    this.kind = kind;
    this.plan = plan;
    this.parts = plan.parts();
    this.site = site;
    this.clock = clock;
  }

  /** Returns the file of the whole history, which is kept for later checks. */
  static Path history(Path folder, WorkloadKind kind) {
    return folder.resolve(kind.label() + ".jsonl");
  }

  /**
   * Reads all keys, looks up unknown outcomes, and writes the whole history.
   *
   * @param connection of HBase's own client
   * @return violations
   */
  List<String> settle(LamponeClient client, Connection connection)
      throws IOException, InterruptedException {
    Path file = history(plan.folder(), kind);
    HistoryMerge.merge(parts(), file);
    History before = read(file);
    TreeSet<Long> keys = new TreeSet<>();
    for (HistoryTransaction transaction : before.transactions()) {
      for (Operation operation : transaction.operations()) {
        keys.add(Long.parseLong(operation.key()));
      }
    }
    if (!kind.isTransactional()) {
      return List.of();
    }
    try {
      if (kind == WorkloadKind.SQL) {
        return settleInSql(client, before);
      }
      return settle(client, connection, before, keys);
    } catch (IOException e) {
      // The remaining data cannot be read: that is the result of the run.
      if (retry.unexplained().isEmpty()) {
        throw e;
      }
      return violations(List.of());
    }
  }

  private List<String> settle(
      LamponeClient client, Connection connection, History before, Set<Long> keys)
      throws IOException, InterruptedException {
    FinalStateCheck look =
        new FinalStateCheck(kind, plan.tables(kind), clock, plan.isSerializable());
    FinalStateCheck.Seen last =
        retry.looking(found -> look.read(client, keys, parts, plan.seed(), found));
    String resolutions = retry.on(() -> resolve(client, before));
    List<String> differences = new ArrayList<>(retry.on(() -> changed(client, before)));
    for (TableName table : plan.tables(kind)) {
      retry.on(
          () -> {
            client.admin().disableTable(table);
            return table;
          });
    }
    differences.addAll(retry.on(() -> look.compare(connection, last)));
    writeHistory(resolutions);
    return violations(differences);
  }

  /** Phoenix's tables are not made plain: its catalogue would not know. */
  private List<String> settleInSql(LamponeClient client, History before)
      throws IOException, InterruptedException {
    SqlFinalLook look = new SqlFinalLook(site, kind, plan.tables(kind));
    retry.looking(
        found -> {
          look.read(parts, plan.seed(), clock, found);
          return look;
        });
    writeHistory(retry.on(() -> resolve(client, before)));
    return violations(List.of());
  }

  private void writeHistory(String resolutions) throws IOException {
    Path file = history(plan.folder(), kind);
    HistoryMerge.merge(parts(), file);
    Files.writeString(file, resolutions, StandardOpenOption.APPEND);
  }

  private List<String> violations(List<String> differences) {
    List<String> all = new ArrayList<>(differences);
    retry.unexplained().forEach(seen -> all.add(kind.label() + ": " + seen));
    return all;
  }

  /** Writes the history with the outcomes known to the clients. */
  void putTogether() throws IOException {
    HistoryMerge.merge(parts(), history(plan.folder(), kind));
  }

  /** Returns lines about unknown outcomes. */
  private String resolve(LamponeClient client, History history) throws IOException {
    StringWriter lines = new StringWriter();
    try (HistoryWriter writer =
        new HistoryWriter(lines, history.header(), "lampone", clock::monotonicNanos)) {
      // The header is already there.
      lines.getBuffer().setLength(0);
      for (HistoryTransaction transaction : history.transactions()) {
        if (transaction.outcome() != Outcome.UNKNOWN || transaction.id().isEmpty()) {
          continue;
        }
        TransactionOutcome told = OutcomeIds.ask(client, transaction.id());
        long start = OutcomeIds.startTimestamp(transaction.id());
        if (told instanceof TransactionOutcome.Committed committed) {
          writer.resolved(transaction.id(), true, start, committed.commitTimestamp());
        } else if (told instanceof TransactionOutcome.Aborted) {
          writer.resolved(transaction.id(), false, start, 0);
        }
      }
    }
    return lines.toString();
  }

  /** Returns acknowledged commits of which the product now says something else. */
  private List<String> changed(LamponeClient client, History history) throws IOException {
    boolean mayForget =
        plan.retention().isShort()
            || plan.faults().contains(FaultKind.CLOCK)
            || plan.longest().compareTo(YOUNG) > 0;
    return new AcknowledgedOutcomes(mayForget)
            .contradictions(
                AcknowledgedOutcomes.sample(history, new Random(plan.seed())),
                id -> OutcomeIds.ask(client, id))
            .stream()
            .map(text -> kind.label() + ": " + text)
            .toList();
  }

  private List<Path> parts() throws IOException {
    try (Stream<Path> all = Files.list(parts)) {
      return all.filter(file -> ClientPlan.isPart(file, kind)).sorted().toList();
    }
  }

  /**
   * Verdicts of the checker and of the workload's checks on a history.
   *
   * @param verdict the checker's
   * @param own violations found by the workload's checks
   * @param notes observations that are allowed but notable
   */
  record Judgment(Verdict verdict, List<String> own, List<String> notes) {

    long count() {
      return verdict.anomalyCount() + own.size();
    }

    /** A text for each anomaly that is described. */
    List<String> describe() {
      List<String> all = new ArrayList<>(own);
      verdict.anomalies().stream().map(Anomaly::describe).forEach(all::add);
      return all;
    }
  }

  /** Judges a history. */
  static Judgment judge(Path file, WorkloadKind kind) throws IOException {
    History history = read(file);
    List<String> own = new ArrayList<>();
    for (Check check : kind.checks()) {
      own.addAll(check.violations(history));
    }
    try {
      return new Judgment(SnapshotIsolationChecker.check(history), own, kind.notes(history));
    } catch (IllegalArgumentException e) {
      // Values are unique by construction, so a duplicate is an anomaly.
      own.add(String.valueOf(e.getMessage()));
      return new Judgment(new Verdict(0, 0, 0, 0, List.of(), 0), own, List.of());
    }
  }

  private static History read(Path file) throws IOException {
    try (var reader = Files.newBufferedReader(file)) {
      return HistoryReader.read(reader);
    }
  }
}
