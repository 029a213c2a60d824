package io.lampone.benchmarks.compare.report;

import io.lampone.benchmarks.compare.SliceFigures;
import io.lampone.benchmarks.compare.SliceResult;
import io.lampone.benchmarks.compare.SystemUnderTest;
import io.lampone.benchmarks.compare.TransactionClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * Files of a comparison: {@code compare.json}, {@code ratios.csv}, {@code rounds.csv} (every round,
 * for independent analysis), a picture for each measure, and {@code index.html} with all of it.
 */
public final class CompareFiles {

  private CompareFiles() {}

  /**
   * Writes them.
   *
   * @param head lines about the machine, for the page
   */
  public static void write(CompareReport report, List<String> head, Path folder)
      throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("compare.json"), report.toJson() + "\n");
    Files.write(folder.resolve("ratios.csv"), ratios(report));
    Files.write(folder.resolve("rounds.csv"), rounds(report));
    List<String> charts = new ArrayList<>();
    for (Measure measure : Measure.values()) {
      String svg = RatioChart.svg(report, measure);
      Files.writeString(folder.resolve(measure.key() + ".svg"), svg);
      charts.add(svg);
    }
    Files.writeString(folder.resolve("index.html"), page(report, head, charts));
  }

  private static List<String> ratios(CompareReport report) {
    List<String> lines = new ArrayList<>();
    lines.add("class,system,unit,measure,median,q1,q3,aaSpread,claim");
    for (CompareReport.Ratio ratio : report.ratios()) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%s,%s,%s,%s,%.4f,%.4f,%.4f,%.4f,%s",
              ratio.transactions().key(),
              ratio.one().key(),
              ratio.unit().key(),
              ratio.quantity().key(),
              ratio.quartiles().median(),
              ratio.quartiles().lower(),
              ratio.quartiles().upper(),
              ratio.spread().factor(),
              ratio.claim().text()));
    }
    return lines;
  }

  private static List<String> rounds(CompareReport report) {
    List<String> head =
        new ArrayList<>(
            List.of("round", "class", "system", "committed", "conflicts", "aborted", "needed"));
    for (Measure measure : Measure.values()) {
      head.add(measure.key());
    }
    List<String> lines = new ArrayList<>(List.of(String.join(",", head)));
    for (int round = 0; round < report.measurements().rounds(); round++) {
      for (TransactionClass transactions : report.plan().classes()) {
        for (SystemUnderTest contender : report.plan().inOrder()) {
          String start = round + "," + transactions.key() + "," + contender.key();
          report
              .measurements()
              .figures(round, contender, transactions)
              .ifPresent(figures -> lines.add(start + round(figures)));
        }
      }
    }
    return lines;
  }

  private static String round(SliceFigures figures) {
    StringBuilder line = new StringBuilder();
    SliceResult client = figures.client();
    line.append(',').append(client.committed());
    line.append(',').append(client.conflicts());
    line.append(',').append(client.aborted());
    line.append(',').append(client.neededAborts());
    for (Measure measure : Measure.values()) {
      OptionalDouble value = measure.of(figures);
      line.append(',');
      if (value.isPresent()) {
        line.append(String.format(Locale.ROOT, "%.3f", value.getAsDouble()));
      }
    }
    return line.toString();
  }

  private static String page(CompareReport report, List<String> head, List<String> charts) {
    List<String> text = new ArrayList<>(head);
    text.addAll(report.lines());
    return "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>Lampone beside native"
        + " HBase and Omid</title></head><body style='font-family:sans-serif;max-width:70em;"
        + "margin:auto'><h1>Lampone beside native HBase and Omid</h1>"
        + "<p>Medians and quartiles of ratios taken within one round. The grey band is three times"
        + " what the same contender differs from itself by; a pale dot is no claim.</p>"
        + String.join("\n", charts)
        + "<pre>"
        + String.join("\n", text).replace("&", "&amp;").replace("<", "&lt;")
        + "</pre></body></html>\n";
  }
}
