package io.lampone.benchmarks.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Chart of figures over a varied parameter, one line for each system, as a self-contained SVG. The
 * vertical scale is logarithmic; the horizontal one is logarithmic or linear.
 */
public final class LineChart {

  private static final int WIDTH = 760;
  private static final int HEIGHT = 380;
  private static final int LEFT = 80;
  private static final int RIGHT = 150;
  private static final int TOP = 40;
  private static final int BOTTOM = 50;
  private static final int LEGEND_STEP = 18;

  private static final List<String> COLORS =
      List.of("#333", "#aaa", "#06c", "#c30", "#080", "#909", "#b80");

  private final String horizontal;
  private final String vertical;
  private final boolean factors;
  private final Map<String, List<Point>> lines = new LinkedHashMap<>();

  private record Point(double x, double y) {}

  /**
   * @param horizontal label of the varied parameter
   * @param vertical label of the figure
   * @param factors true for a logarithmic horizontal scale
   */
  public LineChart(String horizontal, String vertical, boolean factors) {
    this.horizontal = horizontal;
    this.vertical = vertical;
    this.factors = factors;
  }

  /** Adds a point to the right end of a line. Ignores values not above 0. */
  public void add(String line, double x, double y) {
    if (y > 0 && (x > 0 || !factors)) {
      lines.computeIfAbsent(line, unused -> new ArrayList<>()).add(new Point(x, y));
    }
  }

  /** Returns the picture. */
  public String svg() {
    List<Point> all = lines.values().stream().flatMap(List::stream).toList();
    if (all.isEmpty()) {
      return frame("");
    }
    Scale across =
        new Scale(
            all.stream().mapToDouble(Point::x).min().orElseThrow(),
            all.stream().mapToDouble(Point::x).max().orElseThrow(),
            factors);
    Scale upwards =
        new Scale(
            all.stream().mapToDouble(Point::y).min().orElseThrow() / 1.2,
            all.stream().mapToDouble(Point::y).max().orElseThrow() * 1.2,
            true);
    StringBuilder body = new StringBuilder();
    all.stream()
        .map(Point::x)
        .distinct()
        .forEach(
            x ->
                body.append(text(x(across, x), HEIGHT - BOTTOM + 18, "middle", number(x), "#333")));
    for (double tick : upwards.ticks()) {
      double y = y(upwards, tick);
      body.append(line(LEFT, y, WIDTH - RIGHT, y, "#ddd", 1));
      body.append(text(LEFT - 6, y + 4, "end", number(tick), "#333"));
    }
    int number = 0;
    for (Map.Entry<String, List<Point>> entry : lines.entrySet()) {
      String color = COLORS.get(number % COLORS.size());
      List<Point> points = entry.getValue();
      for (int i = 0; i < points.size(); i++) {
        double x = x(across, points.get(i).x());
        double y = y(upwards, points.get(i).y());
        body.append(
            String.format(
                Locale.ROOT, "<circle cx='%.1f' cy='%.1f' r='4' fill='%s'/>%n", x, y, color));
        if (i > 0) {
          Point before = points.get(i - 1);
          body.append(line(x(across, before.x()), y(upwards, before.y()), x, y, color, 2));
        }
      }
      body.append(
          text(
              WIDTH - RIGHT + 12, TOP + 10 + number * LEGEND_STEP, "start", entry.getKey(), color));
      number++;
    }
    return frame(body.toString());
  }

  private String frame(String body) {
    return String.format(
            Locale.ROOT,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif'"
                + " font-size='12'>%n<rect width='100%%' height='100%%' fill='white'/>%n",
            WIDTH,
            HEIGHT)
        + text(8, 20, "start", vertical, "black")
        + text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 10, "middle", horizontal, "black")
        + body
        + "</svg>\n";
  }

  /** Position of a number between two others: by differences, or by factors. */
  private record Scale(double lowest, double highest, boolean factors) {

    double share(double value) {
      if (highest == lowest) {
        return 1.0 / 2;
      }
      return factors
          ? Math.log(value / lowest) / Math.log(highest / lowest)
          : (value - lowest) / (highest - lowest);
    }

    /** 1, 2 and 5 times powers of ten. */
    List<Double> ticks() {
      List<Double> ticks = new ArrayList<>();
      for (double power = Math.pow(10, Math.floor(Math.log10(lowest))); power <= highest; ) {
        for (double factor : new double[] {1, 2, 5}) {
          double tick = factor * power;
          if (tick >= lowest && tick <= highest) {
            ticks.add(tick);
          }
        }
        power *= 10;
      }
      return ticks;
    }
  }

  private static double x(Scale scale, double value) {
    return LEFT + scale.share(value) * (WIDTH - LEFT - RIGHT);
  }

  private static double y(Scale scale, double value) {
    return HEIGHT - BOTTOM - scale.share(value) * (HEIGHT - TOP - BOTTOM);
  }

  private static String number(double value) {
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%.0f", value)
        : String.format(Locale.ROOT, "%s", value);
  }

  private static String line(
      double x1, double y1, double x2, double y2, String color, int strokeWidth) {
    return String.format(
        Locale.ROOT,
        "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s' stroke-width='%d'/>%n",
        x1,
        y1,
        x2,
        y2,
        color,
        strokeWidth);
  }

  private static String text(double x, double y, String anchor, String content, String color) {
    return String.format(
        Locale.ROOT,
        "<text x='%.1f' y='%.1f' text-anchor='%s' fill='%s'>%s</text>%n",
        x,
        y,
        anchor,
        color,
        content.replace("&", "&amp;").replace("<", "&lt;"));
  }
}
