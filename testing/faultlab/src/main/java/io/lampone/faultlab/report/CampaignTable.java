package io.lampone.faultlab.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.faultlab.event.EventCounts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Results of many rounds: those of each workload under each fault, and the recovery times of
 * clients after each kind of fault.
 */
public final class CampaignTable {

  /** The field of a round that did not end. */
  public static final String FAILURE = "failure";

  private static final String EVENTS = "events";
  private static final double HALF = 0.5;
  private static final double NEARLY_ALL = 0.99;

  private final ObjectMapper json = new ObjectMapper();
  private final Map<String, Map<String, WorkloadFigures>> pairs = new TreeMap<>();
  private final Map<String, List<Long>> recoveries = new TreeMap<>();

  /** By kind of fault, then by the role of the process that it met. */
  private final Map<String, Map<String, List<Long>>> recoveriesByRole = new TreeMap<>();

  private EventCounts events = EventCounts.NONE;
  private Collected collected = Collected.NOTHING;
  private long tooOld;

  /** Subjects of the rounds in which no fault was done. */
  private final List<String> inVain = new ArrayList<>();

  /** Number of rounds in which data was collected. */
  private int collecting;

  private int rounds;
  private int failures;
  private int faults;
  private long anomalies;

  /**
   * Adds a round.
   *
   * @param fault of the round
   * @param result written by {@link RunReport#json}, or {@link #FAILURE}
   */
  public void add(String fault, JsonNode result) {
    rounds++;
    failures += result.has(FAILURE) ? 1 : 0;
    faults += result.path("faults").asInt();
    if (result.path("faults").asInt() == 0 && result.path("kindsNotDone").asInt() > 0) {
      inVain.add(fault);
    }
    anomalies += result.path("anomalies").asLong();
    for (Map.Entry<String, JsonNode> event : result.path(EVENTS).properties()) {
      events = events.plus(event.getKey(), event.getValue().asLong());
    }
    result
        .path(RunReport.WORKLOADS)
        .fields()
        .forEachRemaining(
            workload ->
                pairs
                    .computeIfAbsent(workload.getKey(), key -> new TreeMap<>())
                    .merge(fault, figures(workload.getValue()), WorkloadFigures::plus));
    JsonNode cells = result.path(RunReport.COLLECTED);
    Collected more =
        new Collected(
            cells.path("files").asLong(),
            cells.path("dropped").asLong(),
            cells.path("frozen").asLong());
    collected = collected.plus(more);
    collecting += more.files() > 0 ? 1 : 0;
    tooOld += cells.path(RunReport.TOO_OLD).asLong();
    add(recoveries, result.path(RunReport.RECOVERIES));
    result
        .path(RunReport.RECOVERIES_BY_ROLE)
        .fields()
        .forEachRemaining(
            kind ->
                add(
                    recoveriesByRole.computeIfAbsent(kind.getKey(), key -> new TreeMap<>()),
                    kind.getValue()));
  }

  private static void add(Map<String, List<Long>> into, JsonNode lists) {
    lists
        .fields()
        .forEachRemaining(
            list ->
                list.getValue()
                    .forEach(
                        millis ->
                            into.computeIfAbsent(list.getKey(), key -> new ArrayList<>())
                                .add(millis.asLong())));
  }

  private static WorkloadFigures figures(JsonNode node) {
    return new WorkloadFigures(
        node.path("checked").asLong(),
        node.path("committed").asLong(),
        node.path("unknown").asLong(),
        node.path("anomalies").asLong());
  }

  /** Returns true if there were rounds, and all have ended without any anomaly. */
  public boolean isClean() {
    return rounds > 0 && failures == 0 && anomalies == 0;
  }

  /** Returns the events of all rounds. */
  public EventCounts events() {
    return events;
  }

  /** The kinds of faults that were done at least once. */
  public Set<String> done() {
    return Set.copyOf(recoveries.keySet());
  }

  /** The figures that a single run has too, and how many rounds there were; on one line. */
  public String line() {
    WorkloadFigures all = total();
    List<Long> millis = recoveries.values().stream().flatMap(List::stream).toList();
    return json.createObjectNode()
        .put("checked", all.checked())
        .put("anomalies", anomalies)
        .put("faults", faults)
        .put("unknown", all.unknown())
        .put("recoveryP99Millis", Recovery.percentile(millis, NEARLY_ALL))
        .put("committed", all.committed())
        .put("rounds", rounds)
        .put("failures", failures)
        .put("inVain", inVain.size())
        .toString();
  }

  private WorkloadFigures total() {
    return pairs.values().stream()
        .flatMap(byFault -> byFault.values().stream())
        .reduce(WorkloadFigures.NONE, WorkloadFigures::plus);
  }

  /** All of it, for programs. */
  public String json() {
    WorkloadFigures all = total();
    ObjectNode root = json.createObjectNode();
    root.put("rounds", rounds).put("failures", failures).put("inVain", inVain.size());
    root.put("checked", all.checked()).put("committed", all.committed());
    root.put("unknown", all.unknown()).put("anomalies", anomalies);
    ObjectNode cells = json.valueToTree(collected);
    root.set(RunReport.COLLECTED, cells.put(RunReport.TOO_OLD, tooOld).put("rounds", collecting));
    root.set(EVENTS, json.valueToTree(events.counts()));
    ArrayNode kinds = root.putArray("faults");
    recoveries.forEach(
        (kind, millis) -> {
          ObjectNode one = recovery(kinds.addObject().put("kind", kind), millis);
          ObjectNode roles = one.putObject("roles");
          roles(kind).forEach((role, some) -> recovery(roles.putObject(role), some));
        });
    ArrayNode each = root.putArray("pairs");
    pairs.forEach(
        (workload, byFault) ->
            byFault.forEach(
                (fault, figures) -> {
                  ObjectNode pair = each.addObject();
                  pair.put("workload", workload).put("fault", fault);
                  pair.setAll((ObjectNode) json.valueToTree(figures));
                }));
    return root.toPrettyString();
  }

  /** Two tables in Markdown. */
  public List<String> markdown() {
    List<String> lines = new ArrayList<>();
    for (List<List<String>> table : List.of(pairTable(), recoveryTable())) {
      for (int i = 0; i < table.size(); i++) {
        lines.add("| " + String.join(" | ", table.get(i)) + " |");
        if (i == 0) {
          lines.add("|" + "---|".repeat(table.get(0).size()));
        }
      }
      lines.add("");
    }
    lines.add(counts());
    return lines;
  }

  /** The same for a screen. */
  public List<String> text() {
    List<String> lines = new ArrayList<>();
    for (List<List<String>> table : List.of(pairTable(), recoveryTable())) {
      int[] widths = new int[table.get(0).size()];
      for (List<String> row : table) {
        Arrays.setAll(widths, i -> Math.max(widths[i], row.get(i).length()));
      }
      for (List<String> row : table) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
          String gap = " ".repeat(widths[i] - row.get(i).length());
          // Names are aligned left, numbers right.
          line.append(i == 0 ? row.get(i) + gap : "  " + gap + row.get(i));
        }
        lines.add(line.toString());
      }
      lines.add("");
    }
    lines.add(counts());
    return lines;
  }

  private String counts() {
    WorkloadFigures all = total();
    return all.checked()
        + " checked, "
        + all.committed()
        + " of them committed, "
        + all.unknown()
        + " unknown, "
        + anomalies
        + " anomalies; "
        + rounds
        + " rounds, "
        + failures
        + " of them failed; collected in "
        + collecting
        + " of them: "
        + collected.dropped()
        + " cells dropped, "
        + collected.frozen()
        + " frozen; snapshots too old: "
        + tooOld
        + "; faults done: "
        + faults
        + ", rounds in which none was: "
        + (inVain.isEmpty() ? "none" : inVain);
  }

  /** A row for each workload, a column for each fault: checked / unknown / anomalies. */
  private List<List<String>> pairTable() {
    List<String> names =
        pairs.values().stream()
            .flatMap(byFault -> byFault.keySet().stream())
            .distinct()
            .sorted()
            .toList();
    List<List<String>> rows = new ArrayList<>();
    List<String> head = new ArrayList<>(List.of("checked / unknown / anomalies"));
    head.addAll(names);
    rows.add(head);
    pairs.forEach(
        (workload, byFault) -> {
          List<String> row = new ArrayList<>(List.of(workload));
          for (String fault : names) {
            WorkloadFigures one = byFault.getOrDefault(fault, WorkloadFigures.NONE);
            row.add(one.checked() + " / " + one.unknown() + " / " + one.anomalies());
          }
          rows.add(row);
        });
    return rows;
  }

  private List<List<String>> recoveryTable() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("fault, whom", "done", "recovery p50 ms", "p99 ms"));
    recoveries.forEach(
        (kind, millis) -> {
          rows.add(row(kind, millis));
          roles(kind).forEach((role, some) -> rows.add(row(kind + ", " + role, some)));
        });
    return rows;
  }

  private Map<String, List<Long>> roles(String kind) {
    return recoveriesByRole.getOrDefault(kind, Map.of());
  }

  private static ObjectNode recovery(ObjectNode into, List<Long> millis) {
    return into.put("count", millis.size())
        .put("recoveryP50Millis", Recovery.percentile(millis, HALF))
        .put("recoveryP99Millis", Recovery.percentile(millis, NEARLY_ALL));
  }

  private static List<String> row(String name, List<Long> millis) {
    return List.of(
        name,
        Integer.toString(millis.size()),
        Long.toString(Recovery.percentile(millis, HALF)),
        Long.toString(Recovery.percentile(millis, NEARLY_ALL)));
  }
}
