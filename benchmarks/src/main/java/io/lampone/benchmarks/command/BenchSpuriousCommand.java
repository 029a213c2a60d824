package io.lampone.benchmarks.command;

import io.lampone.benchmarks.report.JsonLine;
import io.lampone.benchmarks.report.MarkdownTable;
import io.lampone.benchmarks.spurious.Rule;
import io.lampone.benchmarks.spurious.SpuriousModel;
import io.lampone.benchmarks.spurious.SpuriousModel.Result;
import io.lampone.cli.Progress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code lampone bench spurious}. */
@Command(
    name = "spurious",
    sortOptions = false,
    description = {
      "Counts aborts that no committed transaction has caused, with several validators: by the rules"
          + " of Centiman (its Figures 5 and 6) and of Lampone, with Lampone's tables and validators,"
          + " in a model of processors that send messages every 10 ms. Starts no process."
    },
    footer = {
      "",
      "Exit codes: 0 with watermarks after each transaction, and by Lampone's rule, fewer than 1 %",
      "abort; 1 not; 2 wrong options."
    })
final class BenchSpuriousCommand implements Callable<Integer> {

  private static final int MAX_SECONDS = 3_600;
  private static final int QUICK_SECONDS = 40;
  private static final int MAX_VALIDATORS = 31;
  private static final int MAX_WINDOW = 80;
  private static final double MOST_PERCENT = 1;

  @Option(
      names = "--truncation",
      split = ",",
      paramLabel = "SECONDS",
      description = "Forget writes after so many seconds. Default: ${DEFAULT-VALUE}.")
  List<Integer> truncation = List.of(10, 20, 30, 60);

  @Option(
      names = "--watermark",
      split = ",",
      paramLabel = "N",
      description = "Update watermarks after so many transactions. Default: ${DEFAULT-VALUE}.")
  List<Integer> watermark = List.of(1, 1_000, 10_000, 100_000);

  @Option(
      names = "--validators",
      split = ",",
      paramLabel = "N",
      description = "Numbers of validators. Default: ${DEFAULT-VALUE}.")
  List<Integer> validators = List.of(2, 3, 4);

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Simulated time of each run. Default: ${DEFAULT-VALUE}.")
  int seconds = 180;

  @Option(names = "--quick", description = "40 simulated seconds; truncation shows little then.")
  boolean quick;

  @Option(names = "--seed", paramLabel = "N", description = "Of keys. Default: ${DEFAULT-VALUE}.")
  long seed = 1;

  @Mixin Measuring measuring = new Measuring();

  @Override
  public Integer call() {
    measuring.requireIn("--seconds", seconds, 1, MAX_SECONDS);
    validators.forEach(each -> measuring.requireIn("--validators", each, 1, MAX_VALIDATORS));
    truncation.forEach(each -> measuring.requireIn("--truncation", each, 1, MAX_WINDOW));
    watermark.forEach(each -> measuring.requireIn("--watermark", each, 1, Integer.MAX_VALUE));
    return measuring.run(this::run);
  }

  private int run(Progress progress) throws InterruptedException {
    List<Rule> rules = new ArrayList<>();
    truncation.forEach(each -> rules.add(new Rule.Truncation(each)));
    watermark.forEach(each -> rules.add(new Rule.Watermark(each)));
    rules.add(new Rule.Snapshot());
    List<Result> results = new ArrayList<>();
    for (int count : validators) {
      for (Rule rule : rules) {
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        progress.step(rule.text() + " with " + count + " validators");
        results.add(new SpuriousModel(rule, count, quick ? QUICK_SECONDS : seconds, seed).run());
      }
    }
    measuring.report(progress, lines(results), json(results));
    return results.stream().allMatch(BenchSpuriousCommand::isFew) ? 0 : 1;
  }

  /** Returns false if a rule that avoids spurious aborts does not. */
  private static boolean isFew(Result result) {
    boolean avoids =
        result.rule() instanceof Rule.Snapshot || result.rule().equals(new Rule.Watermark(1));
    return !avoids || result.aborts() < MOST_PERCENT;
  }

  private static List<String> lines(List<Result> results) {
    MarkdownTable table =
        new MarkdownTable("rule", "validators", "transactions/s", "aborts %", "spurious %");
    for (Result each : results) {
      table.add(
          each.rule().text(),
          String.valueOf(each.validators()),
          String.format(Locale.ROOT, "%.0f", each.perSecond()),
          String.format(Locale.ROOT, "%.2f", each.aborts()),
          String.format(Locale.ROOT, "%.2f", each.spurious()));
    }
    return table.toString().lines().toList();
  }

  private static String json(List<Result> results) {
    List<Map<String, Object>> runs = new ArrayList<>();
    for (Result each : results) {
      Map<String, Object> run = new LinkedHashMap<>();
      run.put("rule", each.rule().text());
      run.put("validators", each.validators());
      run.put("transactionsPerSecond", each.perSecond());
      run.put("abortPercent", each.aborts());
      run.put("spuriousPercent", each.spurious());
      run.put("abortPercentByTenSeconds", each.course());
      runs.add(run);
    }
    return JsonLine.of(Map.of("runs", runs));
  }
}
