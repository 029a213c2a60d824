package io.lampone.benchmarks.operations.figures;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Draws figures over time as one self-contained SVG: one strip for each, from the top. */
final class OverTime {

  private static final int WIDTH = 900;
  private static final int LEFT = 80;
  private static final int RIGHT = 20;
  private static final int STRIP = 130;
  private static final int PLOT = 90;
  private static final int TITLE = 20;
  private static final int TICKS = 6;

  private final int seconds;
  private final StringBuilder strips = new StringBuilder();
  private int count;

  /**
   * @param seconds how much time is drawn
   */
  OverTime(int seconds) {
    this.seconds = Math.max(1, seconds);
  }

  /** Adds a strip. */
  OverTime add(String title, List<HotRowSample> samples, ToDoubleFunction<HotRowSample> figure) {
    int top = count * STRIP + TITLE;
    int bottom = top + PLOT;
    double most = Math.max(1, samples.stream().mapToDouble(figure).max().orElse(1));
    text(LEFT, top - 6, title);
    text(4, top + 8, format("%.0f", most));
    text(4, bottom, "0");
    for (int tick = 0; tick <= TICKS; tick++) {
      double x = x(seconds * tick / (double) TICKS);
      strips.append(
          format("<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' stroke='#ddd'/>%n", x, top, x, bottom));
      text(x - 10, bottom + 13, format("%.0f s", seconds * tick / (double) TICKS));
    }
    StringBuilder points = new StringBuilder();
    for (HotRowSample sample : samples) {
      double y = bottom - PLOT * figure.applyAsDouble(sample) / most;
      points.append(format("%.1f,%.1f ", x(sample.second()), y));
    }
    strips.append(
        format("<polyline points='%s' fill='none' stroke='#1f77b4'/>%n", points.toString().trim()));
    count++;
    return this;
  }

  String toSvg() {
    return format(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif'"
            + " font-size='11'>%n<rect width='100%%' height='100%%' fill='#fff'/>%n%s</svg>%n",
        WIDTH, count * STRIP, strips);
  }

  private double x(double second) {
    return LEFT + (WIDTH - LEFT - RIGHT) * Math.min(second, seconds) / seconds;
  }

  private void text(double x, double y, String text) {
    strips.append(format("<text x='%.1f' y='%.1f'>%s</text>%n", x, y, text));
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values).replace(System.lineSeparator(), "\n");
  }
}
