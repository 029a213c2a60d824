package io.lampone.benchmarks.compare.report;

import io.lampone.benchmarks.compare.SystemUnderTest;
import io.lampone.benchmarks.compare.TransactionClass;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Chart of the ratios of one measure to native HBase, as a self-contained SVG. For each class of
 * transactions it has a row for each contender, with the median as a dot and the quartiles as a
 * line, on a logarithmic scale. The grey band marks differences that may be chance; pale ratios
 * support no claim.
 */
final class RatioChart {

  private static final int WIDTH = 900;
  private static final int LEFT = 260;
  private static final int RIGHT = 90;
  private static final int ROW = 20;
  private static final int HEAD = 30;
  private static final int TOP = 44;
  private static final int BOTTOM = 30;

  /** Room beside the largest and the smallest ratio, as a factor. */
  private static final double MARGIN = 1.15;

  private static final List<Double> TICKS =
      List.of(
          0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0,
          200.0);

  private final Measure measure;
  private final List<CompareReport.Ratio> ratios;
  private final double lowest;
  private final double highest;

  private RatioChart(Measure measure, List<CompareReport.Ratio> ratios) {
    this.measure = measure;
    this.ratios = ratios;
    double low = 1;
    double high = 1;
    for (CompareReport.Ratio ratio : ratios) {
      low = Math.min(low, ratio.quartiles().lower());
      high = Math.max(high, ratio.quartiles().upper());
    }
    this.lowest = low / MARGIN;
    this.highest = high * MARGIN;
  }

  /** Returns the picture of a measure. */
  static String svg(CompareReport report, Measure measure) {
    return new RatioChart(
            measure,
            report.ratios().stream()
                .filter(
                    ratio -> ratio.quantity() == measure && ratio.unit() == SystemUnderTest.NATIVE)
                .toList())
        .draw();
  }

  private String draw() {
    List<String> body = new ArrayList<>();
    int y = TOP;
    for (TransactionClass transactions : TransactionClass.values()) {
      List<CompareReport.Ratio> group =
          ratios.stream().filter(ratio -> ratio.transactions() == transactions).toList();
      if (!group.isEmpty()) {
        body.add(text(8, y + HEAD - 10, "start", "font-weight='bold'", transactions.title()));
        y += HEAD;
        double spread = group.get(0).spread().factor();
        double claim = Math.pow(spread, Spread.CLAIM_FACTOR);
        body.add(
            String.format(
                Locale.ROOT,
                "<rect x='%.1f' y='%d' width='%.1f' height='%d' fill='#ddd'/>",
                x(1 / claim),
                y,
                x(claim) - x(1 / claim),
                group.size() * ROW));
        for (CompareReport.Ratio ratio : group) {
          body.add(row(ratio, y + ROW / 2));
          y += ROW;
        }
      }
    }
    int height = y + BOTTOM;
    return String.format(
            Locale.ROOT,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif'"
                + " font-size='12'>%n<rect width='100%%' height='100%%' fill='white'/>%n",
            WIDTH,
            height)
        + text(8, 20, "start", "font-size='15'", measure.title() + ", in units of native HBase")
        + axis(y)
        + String.join("\n", body)
        + "\n</svg>\n";
  }

  private String axis(int bottom) {
    StringBuilder axis = new StringBuilder();
    for (double tick : TICKS) {
      if (tick >= lowest && tick <= highest) {
        axis.append(
            String.format(
                Locale.ROOT,
                "<line x1='%.1f' x2='%.1f' y1='%d' y2='%d' stroke='%s'/>%n",
                x(tick),
                x(tick),
                TOP,
                bottom,
                tick == 1 ? "black" : "#ccc"));
        axis.append(
            text((int) x(tick), bottom + 16, "middle", "", String.format(Locale.ROOT, "%s", tick)));
      }
    }
    return axis.toString();
  }

  private String row(CompareReport.Ratio ratio, int y) {
    String color = ratio.claim() == Spread.Claim.NONE ? "#9ab" : "#06c";
    return text(LEFT - 8, y + 4, "end", "", ratio.one().title())
        + String.format(
            Locale.ROOT,
            "<line x1='%.1f' x2='%.1f' y1='%d' y2='%d' stroke='%s' stroke-width='3'/>"
                + "<circle cx='%.1f' cy='%d' r='5' fill='%s'/>%n",
            x(ratio.quartiles().lower()),
            x(ratio.quartiles().upper()),
            y,
            y,
            color,
            x(ratio.quartiles().median()),
            y,
            color)
        + text(
            WIDTH - RIGHT + 10,
            y + 4,
            "start",
            "fill='" + color + "'",
            String.format(Locale.ROOT, "%.3f", ratio.quartiles().median()));
  }

  /** Returns the position on the logarithmic scale; values beyond the scale are at its end. */
  private double x(double ratio) {
    double inside = Math.max(lowest, Math.min(highest, ratio));
    double share = Math.log(inside / lowest) / Math.log(highest / lowest);
    return LEFT + share * (WIDTH - LEFT - RIGHT);
  }

  private static String text(int x, int y, String anchor, String more, String content) {
    return String.format(
        Locale.ROOT,
        "<text x='%d' y='%d' text-anchor='%s' %s>%s</text>%n",
        x,
        y,
        anchor,
        more,
        content.replace("&", "&amp;").replace("<", "&lt;"));
  }
}
