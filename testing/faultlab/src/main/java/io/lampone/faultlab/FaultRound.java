package io.lampone.faultlab;

import io.lampone.client.LamponeClient;
import io.lampone.faultlab.PostRun.Judgment;
import io.lampone.faultlab.event.EventCounts;
import io.lampone.faultlab.event.RequiredEvents;
import io.lampone.faultlab.fault.FaultKind;
import io.lampone.faultlab.fault.InjectedFault;
import io.lampone.faultlab.fault.Nemesis;
import io.lampone.faultlab.fault.PlannedFault;
import io.lampone.faultlab.fault.Schedule;
import io.lampone.faultlab.fault.Supervisor;
import io.lampone.faultlab.report.Collected;
import io.lampone.faultlab.report.LabResult;
import io.lampone.faultlab.report.RunReport;
import io.lampone.faultlab.work.HistoryCells;
import io.lampone.faultlab.work.StepKind;
import io.lampone.faultlab.work.WorkloadKind;
import io.lampone.faultlab.work.client.ClientStatus;
import io.lampone.faultlab.work.sql.SqlFinalLook;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/** Lets clients work and faults happen, heals, and judges. */
final class FaultRound {

  private static final Duration BEGIN_BOUND = Duration.ofMinutes(6);
  private static final Duration RECOVERY_BOUND = Duration.ofMinutes(3);

  /** HBase's client may sit out a pause of many seconds before it tries again. */
  private static final Duration STOP_BOUND = Duration.ofMinutes(3);

  private static final Duration SETTLE_BOUND = Duration.ofMinutes(10);
  private static final Duration SQL_PAUSE = Duration.ofSeconds(2);
  private static final long PROGRESS_MILLIS = 3_000;
  private static final double MILLIS = 1e3;

  private final LabPlan plan;
  private final FaultLab lab;
  private final Supervisor supervisor;
  private final Clock clock;
  private final Consumer<String> progress;

  FaultRound(
      LabPlan plan, FaultLab lab, Supervisor supervisor, Clock clock, Consumer<String> progress) {
    this.plan = plan;
    this.lab = lab;
    this.supervisor = supervisor;
    this.clock = clock;
    this.progress = progress;
  }

  /**
   * Runs the round.
   *
   * @param leftOver tables that are not used any more
   */
  LabResult run(List<TableName> leftOver) throws IOException, InterruptedException {
    Files.createDirectories(plan.parts());
    List<PlannedFault> schedule =
        Schedule.draw(plan.seed(), plan.longest(), plan.faults(), plan.size().roles());
    announce(schedule);
    try (LamponeClient client = LamponeClient.connect(lab.configuration());
        Connection connection = ConnectionFactory.createConnection(lab.configuration())) {
      progress.accept("creating tables");
      tables(client, connection, leftOver);
      supervisor.giveShares();
      progress.accept("clients begin");
      lab.clients().begin(plan, BEGIN_BOUND);
      long began = clock.monotonicNanos();
      RunReport report = new RunReport(plan.seed(), began, labels());
      Collected before = lab.collected();
      EventCounts managersBefore = lab.managerEvents();
      boolean isUsable;
      List<InjectedFault> injected;
      try (Nemesis nemesis = new Nemesis(supervisor, plan.tables(), clock, progress)) {
        nemesis.start(schedule);
        if (plan.retention().isShort()) {
          nemesis.collect();
        }
        isUsable = attack(nemesis, report);
        injected = nemesis.injected();
      }
      if (isUsable) {
        settle(report, client, connection);
      } else {
        putTogether();
      }
      report.collected(plan.retention().snapshots(), lab.collected().since(before));
      EventCounts ofClients = lab.clients().events();
      RequiredEvents.forbidden(ofClients)
          .forEach(event -> report.violation("an event that must not happen: " + event));
      StepKind.neverDone(ofClients)
          .forEach(step -> report.violation("tried often, and never done: " + step));
      report.events(
          ofClients
              .plus(lab.managerEvents().since(managersBefore))
              .plus("lab.votes", supervisor.votes())
              .plus(supervisor.exits().since(began)));
      supervisor
          .exits()
          .unexplained(injected, began)
          .forEach(
              name -> report.violation("a server ended by itself, and no fault did it: " + name));
      return judge(report);
    }
  }

  private List<String> labels() {
    List<String> labels = new ArrayList<>(plan.labels());
    if (plan.retention().isShort()) {
      labels.add(RequiredEvents.SHORT_RETENTION);
    }
    return labels;
  }

  /** Returns true if the clients make progress once everything is healed. */
  private boolean attack(Nemesis nemesis, RunReport report)
      throws IOException, InterruptedException {
    watch(nemesis);
    report.loadEnded(clock.monotonicNanos());
    nemesis.healAll();
    progress.accept("everything healed; waiting until all clients get on again");
    List<String> stuck = awaitProgress();
    report.faults(plan.faults(), nemesis.injected(), nemesis.takeovers());
    nemesis.injected().stream()
        .filter(InjectedFault::isBreach)
        .forEach(fault -> report.violation(fault.problem()));
    for (WorkloadKind kind : plan.workloads()) {
      FaultLog.write(plan, kind, nemesis.injected());
    }
    if (!stuck.isEmpty()) {
      report.violation("nothing gets done " + RECOVERY_BOUND + " after all was healed: " + stuck);
      lab.clients().kill();
      return false;
    }
    int killed = lab.clients().stop(STOP_BOUND);
    if (killed > 0) {
      report.violation("clients that did not end when asked to, and had to be killed: " + killed);
    }
    long lost = lab.clients().status().lostThreads();
    if (lost > 0) {
      report.violation("threads of clients that ended without being asked to: " + lost);
    }
    return true;
  }

  /** Prints the progress until the time is up. */
  private void watch(Nemesis nemesis) throws InterruptedException {
    long start = clock.monotonicNanos();
    long end = start + plan.length().toNanos();
    long longest = start + plan.longest().toNanos();
    ClientStatus before = lab.clients().status();
    long last = clock.monotonicNanos();
    while (clock.monotonicNanos() - end < 0
        || !plan.enough().isReached(before.ok(), nemesis.doneSoFar())
            && clock.monotonicNanos() - longest < 0) {
      long left = TimeUnit.NANOSECONDS.toMillis(end - clock.monotonicNanos());
      TimeUnit.MILLISECONDS.sleep(
          left <= 0 ? PROGRESS_MILLIS : Math.min(PROGRESS_MILLIS, left + 1));
      ClientStatus now = lab.clients().status();
      long at = clock.monotonicNanos();
      double seconds = (at - last) / (double) TimeUnit.SECONDS.toNanos(1);
      progress.accept(
          String.format(
              Locale.ROOT,
              "%6.0f tx/s  p50 %.1f ms  p99 %.1f ms  ok %d  failed %d  unknown %d  faults %d",
              (now.ok() - before.ok()) / seconds,
              now.p50Micros() / MILLIS,
              now.p99Micros() / MILLIS,
              now.ok(),
              now.failed(),
              now.unknown(),
              nemesis.injected().size()));
      before = now;
      last = at;
    }
  }

  /** Waits for a transaction of each workload at every client after healing; returns the others. */
  private List<String> awaitProgress() throws InterruptedException {
    List<ClientStatus> before = lab.clients().each();
    long deadline = clock.monotonicNanos() + RECOVERY_BOUND.toNanos();
    List<String> stuck;
    do {
      TimeUnit.MILLISECONDS.sleep(PROGRESS_MILLIS / 10);
      stuck = ProgressCheck.of(before, lab.clients().each(), plan.workloads());
    } while (!stuck.isEmpty() && clock.monotonicNanos() - deadline < 0);
    return stuck;
  }

  private void settle(RunReport report, LamponeClient client, Connection connection)
      throws IOException, InterruptedException {
    progress.accept("settling");
    List<BoundedParts.Part<List<String>>> parts = new ArrayList<>();
    for (WorkloadKind kind : plan.workloads()) {
      PostRun aftermath = new PostRun(kind, plan, lab.site(), clock);
      parts.add(
          new BoundedParts.Part<>(
              "settling " + kind.label(), () -> aftermath.settle(client, connection)));
    }
    List<List<String>> found = BoundedParts.together(SETTLE_BOUND, lab.log(), parts);
    for (int i = 0; i < found.size(); i++) {
      WorkloadKind kind = plan.workloads().get(i);
      found.get(i).forEach(text -> report.violation(kind, text));
    }
  }

  /** Merges the histories of the clients, which can be judged without the final state. */
  private void putTogether() throws IOException {
    for (WorkloadKind kind : plan.workloads()) {
      new PostRun(kind, plan, lab.site(), clock).putTogether();
    }
  }

  private LabResult judge(RunReport report) throws IOException {
    for (WorkloadKind kind : plan.workloads()) {
      Path file = PostRun.history(plan.folder(), kind);
      progress.accept("judging " + file);
      Judgment judgment = PostRun.judge(file, kind);
      report.history(kind, file, judgment.verdict(), judgment.describe(), judgment.count());
      judgment.notes().forEach(report::note);
    }
    // A clock that is wrong may lift the timestamps by more than the retention.
    if (!plan.retention().isShort() && !plan.faults().contains(FaultKind.CLOCK)) {
      report.requireReadableSnapshots();
    }
    List<String> lines = report.lines();
    lines.forEach(progress);
    Files.write(plan.folder().resolve("report.txt"), lines);
    Path page = plan.folder().resolve("report.html");
    Files.writeString(page, report.html());
    progress.accept("timeline: " + page);
    // Last: its presence implies that of the other files.
    Path next = plan.folder().resolve(Campaign.RESULT + ".next");
    Files.writeString(next, report.json());
    Files.move(next, plan.folder().resolve(Campaign.RESULT));
    return report.result();
  }

  private void announce(List<PlannedFault> schedule) {
    progress.accept("seed " + plan.seed() + ", folder " + plan.folder());
    progress.accept("snapshots stay readable for " + plan.retention().snapshots());
    progress.accept("schedule, in seconds after the clients have begun:");
    schedule.stream()
        .filter(planned -> planned.atMillis() < plan.length().toMillis())
        .forEach(planned -> progress.accept(planned.describe()));
  }

  /** Drops the old ones and creates this round's. */
  private void tables(LamponeClient client, Connection connection, List<TableName> leftOver)
      throws IOException, InterruptedException {
    List<BoundedParts.Part<Boolean>> parts = new ArrayList<>();
    for (WorkloadKind kind : plan.workloads()) {
      if (kind == WorkloadKind.SQL) {
        parts.add(new BoundedParts.Part<>("creating tables in SQL", this::createInSql));
        continue;
      }
      List<TableName> tables = plan.tables(kind);
      List<ConflictLevel> levels = kind.levels(tables);
      for (TableName table : tables) {
        int i = tables.indexOf(table);
        ConflictLevel level = levels.isEmpty() ? ConflictLevel.ROW : levels.get(i);
        parts.add(
            new BoundedParts.Part<>(
                "creating " + table, () -> create(client, connection, kind, table, level)));
      }
    }
    for (TableName table : leftOver) {
      parts.add(new BoundedParts.Part<>("dropping " + table, () -> drop(connection, table)));
    }
    BoundedParts.together(BEGIN_BOUND, lab.masterLog(), parts);
  }

  private boolean createInSql() throws IOException, InterruptedException {
    SqlFinalLook tables =
        new SqlFinalLook(lab.site(), WorkloadKind.SQL, plan.tables(WorkloadKind.SQL));
    return new Retry(SQL_PAUSE)
        .on(
            () -> {
              tables.create();
              return true;
            });
  }

  private boolean create(
      LamponeClient client,
      Connection connection,
      WorkloadKind kind,
      TableName name,
      ConflictLevel level)
      throws IOException {
    byte[][] splits =
        HistoryCells.splits().stream()
            .map(split -> split.getBytes(StandardCharsets.UTF_8))
            .toArray(byte[][]::new);
    TableDescriptorBuilder builder =
        TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(HistoryCells.family()))
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(HistoryCells.second()));
    kind.lifetimes(plan.isSerializable())
        .forEach(
            (family, seconds) ->
                builder.setColumnFamily(
                    ColumnFamilyDescriptorBuilder.newBuilder(
                            family.getBytes(StandardCharsets.UTF_8))
                        .setTimeToLive(seconds)
                        .build()));
    TableDescriptor table = builder.build();
    if (kind.isTransactional()) {
      client.admin().createTable(table, level, splits);
    } else {
      try (Admin admin = connection.getAdmin()) {
        admin.createTable(table, splits);
      }
    }
    return true;
  }

  private static boolean drop(Connection connection, TableName table) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      if (!admin.isTableDisabled(table)) {
        admin.disableTable(table);
      }
      admin.deleteTable(table);
    }
    return true;
  }
}
