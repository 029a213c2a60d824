package io.lampone.faultlab.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.checker.Verdict;
import io.lampone.checker.format.HistoryWriter;
import io.lampone.client.LamponeException.Code;
import io.lampone.faultlab.event.EventCounts;
import io.lampone.faultlab.event.RequiredEvents;
import io.lampone.faultlab.fault.FaultKind;
import io.lampone.faultlab.fault.InjectedFault;
import io.lampone.faultlab.fault.Takeover;
import io.lampone.faultlab.work.WorkloadKind;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Results of a run, as they become known; for a reader, and as figures. */
public final class RunReport {

  /** Ends a report without any. */
  public static final String NO_ANOMALY = "no anomaly";

  /** Text after the number of anomalies, on a separate line; the anomalies follow it. */
  public static final String ANOMALIES = " ANOMALIES:";

  /** The field of {@link #json} that holds a list for each kind of fault. */
  public static final String RECOVERIES = "recoveryMillis";

  /** The field of {@link #json} that holds the same for each role that was met by such a fault. */
  public static final String RECOVERIES_BY_ROLE = "recoveryMillisByRole";

  /** The field of {@link #json} that holds the figures of each workload. */
  public static final String WORKLOADS = "workloads";

  /** The field of {@link #json} with the figures of {@link Collected}, and {@link #TOO_OLD}. */
  public static final String COLLECTED = "collected";

  /** The field of {@link #COLLECTED} with the number of snapshots that were too old. */
  public static final String TOO_OLD = "tooOld";

  private static final double HALF = 0.5;
  private static final double NEARLY_ALL = 0.99;
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private final long seed;
  private final long startNanos;
  private final List<String> planned;
  private final List<FaultKind> wanted = new ArrayList<>();
  private final List<InjectedFault> faults = new ArrayList<>();
  private final List<Takeover> takeovers = new ArrayList<>();
  private final List<TransactionEnd> endings = new ArrayList<>();
  private final List<String> judged = new ArrayList<>();
  private final List<String> anomalies = new ArrayList<>();
  private final Map<WorkloadKind, WorkloadFigures> workloads = new TreeMap<>();
  private Duration retention = Duration.ZERO;
  private Collected collected = Collected.NOTHING;
  private EventCounts counts = EventCounts.NONE;
  private long endNanos;
  private long checked;
  private long unknown;
  private long anomalyCount;

  public RunReport(long seed, long startNanos) {
    this(seed, startNanos, List.of());
  }

  /**
   * Creates a report.
   *
   * @param labels of the run, besides those of the workloads and faults that are recorded
   */
  public RunReport(long seed, long startNanos, List<String> labels) {
    this.seed = seed;
    this.startNanos = startNanos;
    this.endNanos = startNanos;
    this.planned = List.copyOf(labels);
  }

  /** Records the end of all faults. */
  public void loadEnded(long nanos) {
    endNanos = nanos;
  }

  /**
   * Records all faults, and the primaries.
   *
   * @param asked the requested kinds
   */
  public void faults(List<FaultKind> asked, List<InjectedFault> injected, List<Takeover> seen) {
    wanted.addAll(asked);
    faults.addAll(injected);
    takeovers.addAll(seen);
  }

  /**
   * Records what the region servers have collected.
   *
   * @param snapshots how long each stayed readable
   */
  public void collected(Duration snapshots, Collected cells) {
    retention = snapshots;
    collected = cells;
  }

  /** Records the events that clients and transaction managers have counted. */
  public void events(EventCounts counted) {
    counts = counts.plus(counted);
  }

  /** Returns all events: those that the product has counted, ends of transactions, faults. */
  private EventCounts events() {
    EventCounts all =
        counts
            .plus("region.files-collected", collected.files())
            .plus("region.cells-dropped", collected.dropped())
            .plus("region.cells-frozen", collected.frozen())
            .plus("lab.takeover", Math.max(0, takeovers.size() - 1));
    for (Map.Entry<String, Integer> cause : causes().entrySet()) {
      all = all.plus("end." + cause.getKey().replace(": ", "."), cause.getValue());
    }
    for (InjectedFault fault : faults) {
      if (fault.isDone()) {
        all = all.plus("fault." + fault.kind().label(), 1);
      }
    }
    return all;
  }

  private List<String> neverSeen() {
    List<String> labels = new ArrayList<>(planned);
    wanted.forEach(kind -> labels.add(kind.label()));
    workloads.keySet().forEach(kind -> labels.add(kind.label()));
    return RequiredEvents.read().neverSeen(events(), labels);
  }

  /** Returns one self-contained HTML page. */
  public String html() {
    RunTimeline timeline = RunTimeline.of(endings, startNanos, endNanos);
    return new Page(startNanos, timeline).html(faults, takeovers, lines(), anomalyCount == 0);
  }

  /** Records a violation. */
  public void violation(String text) {
    anomalies.add(text);
    anomalyCount++;
  }

  /** Records a violation in a workload. */
  public void violation(WorkloadKind kind, String text) {
    violation(text);
    add(kind, new WorkloadFigures(0, 0, 0, 1));
  }

  private void add(WorkloadKind kind, WorkloadFigures figures) {
    workloads.merge(kind, figures, WorkloadFigures::plus);
  }

  /** Records an observation that is allowed but notable. */
  public void note(String text) {
    judged.add("             " + text);
  }

  /** Records a history, and the findings in it; faults have been recorded before. */
  public void history(WorkloadKind kind, Path file, Verdict verdict, List<String> found, long count)
      throws IOException {
    Endings read = Endings.read(file, HistoryWriter.VIOLATION);
    endings.addAll(read.all());
    read.violations().forEach(text -> violation(kind, kind.label() + ": " + text));
    long open =
        read.all().stream().filter(end -> end.type().equals(TransactionEnd.UNKNOWN)).count();
    if (open > 0 && wanted.isEmpty() && kind.isTransactional()) {
      violation(kind, kind.label() + ": unknown outcomes though there was no fault: " + open);
    }
    found.forEach(text -> anomalies.add(kind.label() + ": " + text));
    anomalyCount += count;
    long all = verdict.ok() + verdict.failed() + verdict.unknown();
    add(kind, new WorkloadFigures(all, verdict.ok(), verdict.unknown(), count));
    checked += all;
    unknown += verdict.unknown();
    judged.add(
        String.format(
            Locale.ROOT,
            "%-12s %7d committed %6d failed %5d unknown %8d reads  %s",
            kind.label(),
            verdict.ok(),
            verdict.failed(),
            verdict.unknown(),
            verdict.reads(),
            count == 0 ? "clean" : count + " ANOMALIES"));
  }

  /** Requires of all histories that no snapshot was too old: all stay readable in this run. */
  public void requireReadableSnapshots() {
    long tooOld = Refusals.tooOld(endings, startNanos);
    if (tooOld > 0) {
      violation("snapshots too old though each stays readable for " + retention + ": " + tooOld);
    }
  }

  /** The figures. */
  public LabResult result() {
    List<Long> millis = recoveries().stream().map(Recovery::millis).toList();
    return new LabResult(
        checked,
        anomalyCount,
        done(),
        unknown,
        Recovery.percentile(millis, NEARLY_ALL),
        notDone().size(),
        events().counts(),
        neverSeen());
  }

  private int done() {
    return (int) faults.stream().filter(InjectedFault::isDone).count();
  }

  /** Kinds that were wanted, and of which none was done. */
  private List<FaultKind> notDone() {
    List<FaultKind> left = new ArrayList<>(wanted);
    faults.stream().filter(InjectedFault::isDone).forEach(fault -> left.remove(fault.kind()));
    return left;
  }

  /** Returns the line on the faults done, compared with those requested. */
  private String faultLine() {
    if (wanted.isEmpty()) {
      return "no faults were asked for";
    }
    return (done() == 0 ? "NO FAULT WAS DONE: nothing is shown about faults; " : "")
        + "faults done: "
        + done()
        + " of "
        + faults.size()
        + " that were tried; asked for, and not done once: "
        + (notDone().isEmpty() ? "none" : notDone());
  }

  /** For people. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.add(
        String.format(
            Locale.ROOT, "seed %d, %.0f s of load", seed, (endNanos - startNanos) / NANOS));
    lines.addAll(judged);
    lines.add("");
    lines.add(collection());
    lines.add("");
    lines.add("fault, whom         done  not done   recovery p50 ms   p99 ms");
    Map<FaultKind, List<Long>> recoveries = recoveryMillis();
    Map<FaultKind, Map<String, List<Long>>> byRole = recoveryMillisByRole();
    Map<FaultKind, Integer> refused = new TreeMap<>();
    faults.stream()
        .filter(fault -> !fault.isDone())
        .forEach(fault -> refused.merge(fault.kind(), 1, Integer::sum));
    for (FaultKind kind : FaultKind.values()) {
      List<Long> millis = recoveries.getOrDefault(kind, List.of());
      int vain = refused.getOrDefault(kind, 0);
      if (!millis.isEmpty() || vain > 0) {
        lines.add(line(kind.label(), millis, Integer.toString(vain)));
        byRole
            .getOrDefault(kind, Map.of())
            .forEach((role, some) -> lines.add(line("  " + kind + " " + role, some, "")));
      }
    }
    lines.add(faultLine());
    lines.add("");
    lines.add("without effect or unknown, by cause: " + causes());
    lines.add("");
    lines.add("events: " + events());
    lines.add("required events that were never seen: " + neverSeen());
    lines.add("");
    lines.add(anomalyCount == 0 ? NO_ANOMALY : anomalyCount + ANOMALIES);
    lines.addAll(anomalies);
    return lines;
  }

  private String collection() {
    return String.format(
        Locale.ROOT,
        "collected: %d cells dropped, %d frozen, in %d files; snapshots readable for %s, too old %d",
        collected.dropped(),
        collected.frozen(),
        collected.files(),
        retention,
        tooOld());
  }

  private int tooOld() {
    return causes().getOrDefault(Code.SNAPSHOT_TOO_OLD.name(), 0);
  }

  private static String line(String name, List<Long> millis, String vain) {
    return String.format(
        Locale.ROOT,
        "%-19s %4d %9s %17d %8d",
        name,
        millis.size(),
        vain,
        Recovery.percentile(millis, HALF),
        Recovery.percentile(millis, NEARLY_ALL));
  }

  /** Returns recovery times by role: the kill of a ZooKeeper server may disturb no client. */
  private Map<FaultKind, Map<String, List<Long>>> recoveryMillisByRole() {
    Map<FaultKind, Map<String, List<Long>>> millis = new TreeMap<>();
    for (Recovery each : recoveries()) {
      if (!each.fault().role().isEmpty()) {
        millis
            .computeIfAbsent(each.fault().kind(), kind -> new TreeMap<>())
            .computeIfAbsent(each.fault().role(), role -> new ArrayList<>())
            .add(each.millis());
      }
    }
    return millis;
  }

  private Map<FaultKind, List<Long>> recoveryMillis() {
    Map<FaultKind, List<Long>> millis = new TreeMap<>();
    recoveries()
        .forEach(
            each ->
                millis
                    .computeIfAbsent(each.fault().kind(), kind -> new ArrayList<>())
                    .add(each.millis()));
    return millis;
  }

  /**
   * Returns the figures, and each recovery by kind of fault, and by role: for summaries of runs.
   */
  public String json() {
    ObjectMapper json = new ObjectMapper();
    ObjectNode all = json.valueToTree(result());
    ObjectNode recoveries = all.putObject(RECOVERIES);
    recoveryMillis()
        .forEach((kind, millis) -> recoveries.set(kind.label(), json.valueToTree(millis)));
    ObjectNode roles = all.putObject(RECOVERIES_BY_ROLE);
    recoveryMillisByRole()
        .forEach((kind, byRole) -> roles.set(kind.label(), json.valueToTree(byRole)));
    ObjectNode cells = json.valueToTree(collected);
    all.set(COLLECTED, cells.put(TOO_OLD, tooOld()));
    ObjectNode figures = all.putObject(WORKLOADS);
    workloads.forEach((kind, each) -> figures.set(kind.label(), json.valueToTree(each)));
    return all.toString();
  }

  private List<Recovery> recoveries() {
    return Recovery.of(faults, endings, endNanos);
  }

  private Map<String, Integer> causes() {
    Map<String, Integer> causes = new TreeMap<>();
    for (TransactionEnd ending : endings) {
      if (!ending.type().equals(TransactionEnd.OK)) {
        causes.merge(RunTimeline.cause(ending), 1, Integer::sum);
      }
    }
    return causes;
  }
}
