package io.lampone.faultlab.report;

import io.lampone.faultlab.fault.FaultKind;
import io.lampone.faultlab.fault.InjectedFault;
import io.lampone.faultlab.fault.Takeover;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntToDoubleFunction;

/** A run as one self-contained HTML page. */
final class Page {

  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MOST_CAUSES = 7;
  private static final String TAKEOVER = "primary";

  private static final String HEAD =
      """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><title>lampone torture</title>
      <style>
      body { font-family: sans-serif; max-width: 1100px; margin: 1em auto; padding: 0 1em; }
      svg { display: block; margin: 0.5em 0; }
      pre { background: #f4f4f4; padding: 1em; overflow-x: auto; font-size: 12px; }
      .title { font-size: 13px; font-weight: bold; }
      .axis { font-size: 11px; }
      .grid { stroke: #e0e0e0; }
      .done { fill: #d62728; }
      .vain { fill: #c7c7c7; }
      .takeover { fill: #1f77b4; }
      .clean { color: #2ca02c; } .dirty { color: #d62728; }
      polyline { stroke-width: 1.5; }
      </style></head><body>
      """;

  private final long startNanos;
  private final RunTimeline timeline;

  Page(long startNanos, RunTimeline timeline) {
    this.startNanos = startNanos;
    this.timeline = timeline;
  }

  /**
   * The page.
   *
   * @param text the report for people
   */
  String html(
      List<InjectedFault> faults, List<Takeover> takeovers, List<String> text, boolean isClean) {
    int seconds = timeline.seconds().size();
    StringBuilder page = new StringBuilder(HEAD);
    page.append("<h1>lampone torture: ")
        .append(isClean ? "<span class='clean'>no anomaly" : "<span class='dirty'>ANOMALIES")
        .append("</span></h1>\n");
    page.append(
        Chart.lines(
            "acknowledged a second",
            seconds,
            List.of(""),
            List.of(i -> timeline.seconds().get(i).ok())));
    page.append(
        Chart.lines(
            "latency in milliseconds",
            seconds,
            List.of("p50", "p99"),
            List.of(
                i -> timeline.seconds().get(i).p50Millis(),
                i -> timeline.seconds().get(i).p99Millis())));
    page.append(bars(faults, takeovers, seconds));
    page.append(causes(seconds));
    page.append("<pre>");
    text.forEach(line -> page.append(Chart.escape(line)).append('\n'));
    return page.append("</pre></body></html>\n").toString();
  }

  private String bars(List<InjectedFault> faults, List<Takeover> takeovers, int seconds) {
    List<String> rows = new ArrayList<>();
    for (FaultKind kind : FaultKind.values()) {
      if (faults.stream().anyMatch(fault -> fault.kind() == kind)) {
        rows.add(kind.label());
      }
    }
    rows.add(TAKEOVER);
    List<Chart.Bar> bars = new ArrayList<>();
    for (InjectedFault fault : faults) {
      bars.add(
          new Chart.Bar(
              fault.kind().label(),
              second(fault.injectedNanos()),
              second(fault.healedNanos()),
              fault.isDone() ? "done" : "vain",
              fault.kind() + " " + fault.target() + " " + fault.problem()));
    }
    for (Takeover takeover : takeovers) {
      double at = second(takeover.nanos());
      bars.add(new Chart.Bar(TAKEOVER, at, at, "takeover", takeover.primary() + " leads"));
    }
    return Chart.bars("faults, and when another manager led", seconds, rows, bars);
  }

  private String causes(int seconds) {
    List<String> names = timeline.causes().stream().limit(MOST_CAUSES).toList();
    List<IntToDoubleFunction> lines = new ArrayList<>();
    for (String name : names) {
      lines.add(i -> timeline.seconds().get(i).others().getOrDefault(name, 0));
    }
    return Chart.lines("without effect or unknown", seconds, names, lines);
  }

  private double second(long nanos) {
    return Math.max(0, (nanos - startNanos) / NANOS);
  }
}
