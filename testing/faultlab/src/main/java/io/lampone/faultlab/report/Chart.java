package io.lampone.faultlab.report;

import java.util.List;
import java.util.Locale;
import java.util.function.IntToDoubleFunction;

/** One drawing of a page, over time, in inline SVG. */
final class Chart {

  static final int WIDTH = 1_000;
  static final int LEFT = 90;
  private static final int RIGHT = 10;
  private static final int TOP = 22;
  private static final int BOTTOM = 18;
  private static final int PLOT = 120;
  private static final int TICKS = 10;
  private static final List<String> COLOURS =
      List.of("#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#17becf");

  private final StringBuilder svg = new StringBuilder();
  private final int seconds;
  private final int height;

  private Chart(String title, int seconds, int plot) {
    this.seconds = Math.max(1, seconds);
    this.height = TOP + plot + BOTTOM;
    svg.append(format("<svg viewBox='0 0 %d %d' width='100%%' role='img'>", WIDTH, height));
    text(LEFT, TOP - 8, "title", title);
    for (int i = 0; i <= TICKS; i++) {
      double second = this.seconds * i / (double) TICKS;
      double x = x(second);
      svg.append(
          format(
              "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' class='grid'/>", x, TOP, x, TOP + plot));
      text(x - 8, height - 4, "axis", format("%.0f s", second));
    }
  }

  /**
   * Lines over the seconds of a run.
   *
   * @param names of the lines
   * @param values by line: from the number of the second
   */
  static String lines(
      String title, int seconds, List<String> names, List<IntToDoubleFunction> values) {
    Chart chart = new Chart(title, seconds, PLOT);
    double top = 1;
    for (IntToDoubleFunction line : values) {
      for (int i = 0; i < seconds; i++) {
        top = Math.max(top, line.applyAsDouble(i));
      }
    }
    chart.text(4, TOP + 8, "axis", format("%.0f", top));
    chart.text(4, TOP + PLOT, "axis", "0");
    for (int n = 0; n < values.size(); n++) {
      String colour = COLOURS.get(n % COLOURS.size());
      StringBuilder points = new StringBuilder();
      for (int i = 0; i < seconds; i++) {
        double y = TOP + PLOT - PLOT * values.get(n).applyAsDouble(i) / top;
        points.append(format("%.1f,%.1f ", chart.x(i + 0.5), y));
      }
      chart.svg.append(format("<polyline points='%s' fill='none' stroke='%s'/>", points, colour));
      chart.svg.append(
          format(
              "<text x='%d' y='%d' class='axis' fill='%s'>%s</text>",
              LEFT + 250 + n * 105, TOP - 8, colour, escape(names.get(n))));
    }
    return chart.end();
  }

  /**
   * Returns a chart of bars.
   *
   * @param rows their names, from above
   */
  static String bars(String title, int seconds, List<String> rows, List<Bar> bars) {
    int row = 16;
    Chart chart = new Chart(title, seconds, Math.max(1, rows.size()) * row);
    for (int i = 0; i < rows.size(); i++) {
      chart.text(4, TOP + i * row + 12, "axis", rows.get(i));
    }
    for (Bar bar : bars) {
      int y = TOP + rows.indexOf(bar.row()) * row + 2;
      double width = Math.max(2, chart.x(bar.to()) - chart.x(bar.from()));
      chart.svg.append(
          format(
              "<rect x='%.1f' y='%d' width='%.1f' height='%d' class='%s'><title>%s</title></rect>",
              chart.x(bar.from()), y, width, row - 4, bar.style(), escape(bar.label())));
    }
    return chart.end();
  }

  /**
   * One bar: an interval.
   *
   * @param row in which it is drawn
   * @param from seconds after the start
   * @param to likewise
   * @param style its class in the style sheet
   * @param label text of its tooltip
   */
  record Bar(String row, double from, double to, String style, String label) {}

  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("'", "&#39;");
  }

  private String end() {
    return svg.append("</svg>").toString();
  }

  private double x(double second) {
    return LEFT + (WIDTH - LEFT - RIGHT) * Math.min(second, seconds) / seconds;
  }

  private void text(double x, double y, String style, String text) {
    svg.append(format("<text x='%.1f' y='%.1f' class='%s'>%s</text>", x, y, style, escape(text)));
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }
}
