package io.lampone.benchmarks.compare.report;

import io.lampone.benchmarks.Latencies;
import io.lampone.benchmarks.compare.ComparePlan;
import io.lampone.benchmarks.compare.Rows;
import io.lampone.benchmarks.compare.SliceFigures;
import io.lampone.benchmarks.compare.SliceResult;
import io.lampone.benchmarks.compare.SystemUnderTest;
import io.lampone.benchmarks.compare.TransactionClass;
import io.lampone.benchmarks.report.JsonLine;
import io.lampone.benchmarks.report.MarkdownTable;
import io.lampone.benchmarks.report.Quartiles;
import io.lampone.client.Isolation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** Results of a comparison, for people and for programs. */
public final class CompareReport {

  /** Least number of rounds for quartiles and claims. */
  private static final int LEAST_ROUNDS = 3;

  private static final double MEDIAN = 50;
  private static final double TAIL = 99;
  private static final double NANOS_PER_MICRO = 1000;

  private final ComparePlan plan;
  private final Measurements measurements;
  private final double foreignShare;

  public CompareReport(ComparePlan plan, Measurements measurements, double foreignShare) {
    this.plan = plan;
    this.measurements = measurements;
    this.foreignShare = foreignShare;
  }

  /** Ratio of one measure of two contenders, and the claim that it supports. */
  record Ratio(
      SystemUnderTest one,
      SystemUnderTest unit,
      TransactionClass transactions,
      Quantity quantity,
      Quartiles quartiles,
      Spread spread,
      int rounds) {

    Spread.Claim claim() {
      return rounds < LEAST_ROUNDS ? Spread.Claim.NONE : spread.judge(quartiles);
    }
  }

  /** Returns the ratios of all contenders except controls. */
  List<Ratio> ratios() {
    List<Ratio> ratios = new ArrayList<>();
    for (TransactionClass transactions : plan.classes()) {
      for (SystemUnderTest unit : plan.inOrder()) {
        for (SystemUnderTest one : plan.inOrder()) {
          if (one.compareTo(unit) > 0 && !one.isControl() && !unit.isControl()) {
            for (Quantity quantity : quantities(transactions)) {
              ratio(quantity, transactions, one, unit).ifPresent(ratios::add);
            }
          }
        }
      }
    }
    return ratios;
  }

  private static List<Quantity> quantities(TransactionClass transactions) {
    List<Quantity> quantities = new ArrayList<>(List.of(Measure.values()));
    if (transactions.hasSizes()) {
      quantities.addAll(sizes());
    }
    return quantities;
  }

  private static List<LatencyOfSize> sizes() {
    return IntStream.rangeClosed(1, Rows.MOST_ROWS).mapToObj(LatencyOfSize::new).toList();
  }

  Optional<Ratio> ratio(
      Quantity quantity, TransactionClass transactions, SystemUnderTest one, SystemUnderTest unit) {
    Optional<Quartiles> quartiles = measurements.ratio(quantity, transactions, one, unit);
    Optional<Spread> spread = measurements.spread(quantity, transactions);
    return quartiles.isPresent() && spread.isPresent()
        ? Optional.of(
            new Ratio(
                one,
                unit,
                transactions,
                quantity,
                quartiles.get(),
                spread.get(),
                measurements.rounds()))
        : Optional.empty();
  }

  ComparePlan plan() {
    return plan;
  }

  Measurements measurements() {
    return measurements;
  }

  /** Returns the lines for people. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            Locale.ROOT,
            "%d rounds; %d thread(s) a client, closed; %d rows, theta %.2f, values of %d bytes; %s,"
                + " %d validators; seed %d; other processes took %.1f %% of the machine; the cluster by itself %.1f %% of a"
                + " processor, which is taken off",
            measurements.rounds(),
            plan.threads(),
            plan.rows(),
            plan.theta(),
            plan.valueBytes(),
            isolation(),
            plan.validators(),
            plan.seed(),
            100 * foreignShare,
            100 * measurements.idleShare().median()));
    for (TransactionClass transactions : plan.classes()) {
      lines.add("");
      lines.add("### " + transactions.key() + ": " + transactions.title());
      lines.add("");
      lines.addAll(figuresTable(transactions).toString().lines().toList());
      lines.add("");
      lines.addAll(ratioTable(transactions, List.of(Measure.values())).toString().lines().toList());
      if (transactions.hasSizes()) {
        lines.add("");
        lines.add("Mean latency by the number of rows of a transaction:");
        lines.add("");
        lines.addAll(ratioTable(transactions, sizes()).toString().lines().toList());
      }
    }
    return lines;
  }

  private String isolation() {
    return (plan.serializable() ? Isolation.SERIALIZABLE : Isolation.SNAPSHOT).name();
  }

  private MarkdownTable figuresTable(TransactionClass transactions) {
    MarkdownTable table =
        new MarkdownTable(
            "",
            "requests",
            "bytes",
            "CPU us: cluster + client + its server",
            "latency us: mean, p50, p99",
            "per s",
            "committed, conflicts, aborted",
            "needed aborts");
    for (SystemUnderTest contender : plan.inOrder()) {
      measurements
          .total(contender, transactions)
          .ifPresent(total -> table.add(row(contender, total)));
    }
    return table;
  }

  private static String[] row(SystemUnderTest contender, SliceFigures total) {
    SliceResult client = total.client();
    Latencies latencies = client.latencies();
    double transactions = Math.max(1, client.committed());
    return new String[] {
      contender.title(),
      format("%.2f", Measure.ROUND_TRIPS, total),
      format("%.0f", Measure.BYTES, total),
      String.format(
          Locale.ROOT,
          "%.0f + %.0f + %.0f",
          total.cpu().clusterNanos() / NANOS_PER_MICRO / transactions,
          total.cpu().clientNanos() / NANOS_PER_MICRO / transactions,
          total.cpu().managerNanos() / NANOS_PER_MICRO / transactions),
      String.format(
          Locale.ROOT,
          "%.0f, %.0f, %.0f",
          latencies.meanMicros(),
          latencies.percentileMicros(MEDIAN),
          latencies.percentileMicros(TAIL)),
      format("%.0f", Measure.THROUGHPUT, total),
      client.committed() + ", " + client.conflicts() + ", " + client.aborted(),
      contender.hasSnapshots() ? Long.toString(client.neededAborts()) : "-"
    };
  }

  private static String format(String pattern, Measure measure, SliceFigures total) {
    var value = measure.of(total);
    return value.isPresent()
        ? String.format(Locale.ROOT, pattern, value.getAsDouble())
        : "not measured";
  }

  /** Table of medians, with quartiles where a claim is supported. */
  private MarkdownTable ratioTable(
      TransactionClass transactions, List<? extends Quantity> quantities) {
    List<String> head = new ArrayList<>(List.of("ratio of medians of pairs (quartiles)"));
    for (Quantity quantity : quantities) {
      head.add(quantity.key());
    }
    MarkdownTable table = new MarkdownTable(head.toArray(String[]::new));
    List<String> chance = new ArrayList<>(List.of("A/A spread, as a factor"));
    for (Quantity quantity : quantities) {
      chance.add(
          measurements
              .spread(quantity, transactions)
              .map(spread -> String.format(Locale.ROOT, "%.3f", spread.factor()))
              .orElse("-"));
    }
    table.add(chance.toArray(String[]::new));
    for (SystemUnderTest unit : plan.inOrder()) {
      for (SystemUnderTest one : plan.inOrder()) {
        if (one.compareTo(unit) > 0
            && !one.isControl()
            && !unit.isControl()
            && one.takesPartIn(transactions)) {
          List<String> cells = new ArrayList<>(List.of(one.title() + " / " + unit.title()));
          for (Quantity quantity : quantities) {
            cells.add(ratio(quantity, transactions, one, unit).map(this::cell).orElse("-"));
          }
          table.add(cells.toArray(String[]::new));
        }
      }
    }
    return table;
  }

  private String cell(Ratio ratio) {
    return ratio.quartiles().format("%.3f")
        + (ratio.claim() == Spread.Claim.NONE ? " no claim" : "");
  }

  /** Returns one line for programs. */
  public String toJson() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("benchmark", "compare");
    all.put("rounds", measurements.rounds());
    all.put("threads", plan.threads());
    all.put("rows", plan.rows());
    all.put("valueBytes", plan.valueBytes());
    all.put("theta", plan.theta());
    all.put("isolation", isolation());
    all.put("validators", plan.validators());
    all.put("seed", plan.seed());
    all.put("foreignShare", foreignShare);
    all.put("idleShare", measurements.idleShare().median());
    all.put("omid", plan.contenders().stream().anyMatch(SystemUnderTest::isOmid));
    all.put("figures", figures());
    all.put("pairs", pairs());
    return JsonLine.of(all);
  }

  private List<Object> figures() {
    List<Object> figures = new ArrayList<>();
    for (TransactionClass transactions : plan.classes()) {
      for (SystemUnderTest contender : plan.inOrder()) {
        measurements
            .total(contender, transactions)
            .ifPresent(total -> figures.add(figures(contender, transactions, total)));
      }
    }
    return figures;
  }

  private static Map<String, Object> figures(
      SystemUnderTest contender, TransactionClass transactions, SliceFigures total) {
    Map<String, Object> one = new LinkedHashMap<>();
    one.put("system", contender.key());
    one.put("class", transactions.key());
    one.put("committed", total.client().committed());
    one.put("conflicts", total.client().conflicts());
    one.put("aborted", total.client().aborted());
    if (contender.hasSnapshots()) {
      one.put("neededAborts", total.client().neededAborts());
    }
    for (Measure measure : Measure.values()) {
      measure.of(total).ifPresent(value -> one.put(measure.key(), value));
    }
    if (transactions.hasSizes()) {
      for (Quantity size : sizes()) {
        size.of(total).ifPresent(value -> one.put(size.key(), value));
      }
    }
    double transactionsEnded = Math.max(1, total.client().committed());
    one.put("cpuCluster", total.cpu().clusterNanos() / NANOS_PER_MICRO / transactionsEnded);
    one.put("cpuClient", total.cpu().clientNanos() / NANOS_PER_MICRO / transactionsEnded);
    one.put("cpuManager", total.cpu().managerNanos() / NANOS_PER_MICRO / transactionsEnded);
    one.put("latencyP99", total.client().latencies().percentileMicros(TAIL));
    return one;
  }

  /** Returns the ratios for each pair and class, measure by measure. */
  private List<Object> pairs() {
    Map<String, Map<String, Object>> pairs = new LinkedHashMap<>();
    for (Ratio ratio : ratios()) {
      String key = ratio.one() + "/" + ratio.unit() + "/" + ratio.transactions();
      Map<String, Object> pair = pairs.computeIfAbsent(key, unused -> head(ratio));
      Map<String, Object> figures = new LinkedHashMap<>();
      figures.put("median", ratio.quartiles().median());
      figures.put("q1", ratio.quartiles().lower());
      figures.put("q3", ratio.quartiles().upper());
      figures.put("aaSpread", ratio.spread().factor());
      figures.put("claim", ratio.claim().text());
      pair.put(ratio.quantity().key(), figures);
    }
    return new ArrayList<>(pairs.values());
  }

  private static Map<String, Object> head(Ratio ratio) {
    Map<String, Object> pair = new LinkedHashMap<>();
    pair.put("system", ratio.one().key());
    pair.put("unit", ratio.unit().key());
    pair.put("class", ratio.transactions().key());
    return pair;
  }
}
