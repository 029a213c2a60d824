package io.lampone.sql.bench;

import io.lampone.benchmarks.Latencies;
import io.lampone.benchmarks.report.JsonLine;
import io.lampone.benchmarks.report.MarkdownTable;
import io.lampone.benchmarks.report.Quartiles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Latencies by round: a ratio takes both of its figures from one round. */
final class SqlReport {

  private static final double MEDIAN = 50;
  private static final String RATIO = "%.2f";

  private final List<Map<Part, Latencies>> rounds = new ArrayList<>();

  /** Part of a round. */
  private record Part(SqlSystem system, SqlWorkload workload) {}

  /** The next slices are of a new round. */
  void beginRound() {
    rounds.add(new HashMap<>());
  }

  /** Adds a slice to the round. */
  void add(SqlSystem system, SqlWorkload workload, Latencies slice) {
    rounds
        .get(rounds.size() - 1)
        .computeIfAbsent(new Part(system, workload), unused -> new Latencies())
        .add(slice);
  }

  int rounds() {
    return rounds.size();
  }

  /** Returns the median latency of some rounds in microseconds. */
  private static double micros(List<Map<Part, Latencies>> rounds, Part part) {
    Latencies all = new Latencies();
    rounds.forEach(round -> all.add(Objects.requireNonNull(round.get(part))));
    return all.percentileMicros(MEDIAN);
  }

  /** Returns the median latency in microseconds. */
  double micros(SqlWorkload workload, SqlSystem system) {
    return micros(rounds, new Part(system, workload));
  }

  /** Returns Lampone's median latency as a part of another's, over the rounds. */
  Quartiles ratio(SqlWorkload workload, SqlSystem unit) {
    List<Double> ratios = new ArrayList<>();
    for (Map<Part, Latencies> round : rounds) {
      ratios.add(
          micros(List.of(round), new Part(SqlSystem.LAMPONE, workload))
              / micros(List.of(round), new Part(unit, workload)));
    }
    return Quartiles.of(ratios);
  }

  /** Returns true if all goals of a workload are met. */
  boolean isMet(SqlWorkload workload) {
    return ratio(workload, SqlSystem.OMID).median() <= workload.goalOfOmid()
        && ratio(workload, SqlSystem.PLAIN).median()
            <= workload.goalOfPlain().orElse(Double.POSITIVE_INFINITY);
  }

  /** Returns one line; targetOfPlain is only where there is one. */
  String toJson() {
    return JsonLine.of(
        Map.of("rows", Arrays.stream(SqlWorkload.values()).map(this::toJson).toList()));
  }

  private Map<String, Object> toJson(SqlWorkload workload) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("name", workload.key());
    row.put("againstOmid", ratio(workload, SqlSystem.OMID).median());
    row.put("againstPlain", ratio(workload, SqlSystem.PLAIN).median());
    row.put("target", workload.goalOfOmid());
    workload.goalOfPlain().ifPresent(goal -> row.put("targetOfPlain", goal));
    row.put("met", isMet(workload));
    return row;
  }

  /** Returns the table for people. */
  List<String> lines() {
    MarkdownTable table =
        new MarkdownTable(
            "median latency us",
            "plain",
            "Omid",
            "Lampone",
            "of Omid",
            "goal",
            "of plain",
            "goal",
            "met");
    for (SqlWorkload workload : SqlWorkload.values()) {
      table.add(
          workload.title(),
          format("%.0f", micros(workload, SqlSystem.PLAIN)),
          format("%.0f", micros(workload, SqlSystem.OMID)),
          format("%.0f", micros(workload, SqlSystem.LAMPONE)),
          ratio(workload, SqlSystem.OMID).format(RATIO),
          format(RATIO, workload.goalOfOmid()),
          ratio(workload, SqlSystem.PLAIN).format(RATIO),
          workload.goalOfPlain().isPresent()
              ? format(RATIO, workload.goalOfPlain().getAsDouble())
              : "-",
          isMet(workload) ? "yes" : "no");
    }
    return List.of(
        "Lampone's median latency as a part of the others': median of "
            + rounds()
            + " rounds (quartiles).",
        table.toString());
  }

  private static String format(String format, double figure) {
    return String.format(Locale.ROOT, format, figure);
  }
}
