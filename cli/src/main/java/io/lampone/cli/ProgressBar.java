package io.lampone.cli;

import io.lampone.protocol.time.Clock;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Progress of a long command: one line that is rewritten on a terminal, a line now and then
 * elsewhere. Thread-safe: everything is guarded by its monitor.
 */
public final class ProgressBar implements AutoCloseable {

  private static final int WIDTH = 30;

  /** Between two lines, on a terminal and elsewhere. */
  private static final long REDRAW_MILLIS = 200;

  private static final long LINE_MILLIS = 5_000;

  private final PrintWriter out;
  private final Clock clock;
  private final boolean terminal;

  private String what = "";
  private long shownNanos;
  private int shownLength;

  ProgressBar(PrintWriter out, Clock clock, boolean terminal) {
    this.out = out;
    this.clock = clock;
    this.terminal = terminal;
  }

  /** One on standard error, which is a terminal or not. */
  public static ProgressBar of(PrintWriter errors, Clock clock) {
    return new ProgressBar(errors, clock, System.console() != null);
  }

  /**
   * Something more is done.
   *
   * @param doing what; another one than before begins another bar
   * @param detail beside the bar; may be empty
   */
  public synchronized void show(String doing, long done, long total, String detail) {
    long now = clock.monotonicNanos();
    boolean other = !doing.equals(what);
    if (other) {
      finishLine();
      what = doing;
    }
    long pause = TimeUnit.MILLISECONDS.toNanos(terminal ? REDRAW_MILLIS : LINE_MILLIS);
    if (!other && done < total && now - shownNanos < pause) {
      return;
    }
    shownNanos = now;
    String line = line(doing, done, total, detail);
    if (terminal) {
      out.print("\r" + line + " ".repeat(Math.max(0, shownLength - line.length())));
      shownLength = line.length();
    } else {
      out.println(line);
    }
    out.flush();
  }

  private static String line(String doing, long done, long total, String detail) {
    double share = total <= 0 ? 1 : Math.min(1, (double) done / total);
    int full = (int) (share * WIDTH);
    return String.format(
        Locale.ROOT,
        "%-10s [%s%s] %3d %%  %d/%d%s",
        doing,
        "#".repeat(full),
        ".".repeat(WIDTH - full),
        (int) (share * 100),
        done,
        total,
        detail.isEmpty() ? "" : "  " + detail);
  }

  private void finishLine() {
    if (terminal && shownLength > 0) {
      out.println();
      out.flush();
    }
    shownLength = 0;
  }

  @Override
  public synchronized void close() {
    finishLine();
  }
}
