package io.lampone.cli;

import io.lampone.client.ChangeListener;
import io.lampone.protocol.time.Clock;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Progress of a long command with its rate and the time left: one line that is rewritten on a
 * terminal, and a line at intervals elsewhere. Thread-safe: everything is guarded by its monitor.
 */
public final class ProgressBar implements ChangeListener, AutoCloseable {

  private static final int WIDTH = 30;

  /** Intervals between two lines, on a terminal and elsewhere. */
  private static final long REDRAW_MILLIS = 200;

  private static final long LINE_MILLIS = 5_000;

  /** Age from which on the rate is shown. */
  private static final long RATE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final PrintWriter out;
  private final Clock clock;
  private final boolean terminal;

  private State first = new State("", 0, 0, "", 0, "");
  private long firstNanos;
  private long shownNanos;
  private int shownLength;

  /**
   * Progress at one moment.
   *
   * @param doing current activity; a different one begins a new bar
   * @param done completed parts
   * @param total all parts
   * @param unit unit of the parts
   * @param rows rows so far; 0 if they are not counted
   * @param detail text at the end; may be empty
   */
  public record State(String doing, long done, long total, String unit, long rows, String detail) {}

  ProgressBar(PrintWriter out, Clock clock, boolean terminal) {
    this.out = out;
    this.clock = clock;
    this.terminal = terminal;
  }

  /** Creates a bar on standard error, which may be a terminal. */
  public static ProgressBar of(PrintWriter errors, Clock clock) {
    return new ProgressBar(errors, clock, System.console() != null);
  }

  /** Shows the number of regions that are done. */
  @Override
  public void progress(String step, long done, long total) {
    show(new State(step, done, total, "regions", 0, ""));
  }

  @Override
  public synchronized void left(String work) {
    finishLine();
    out.println("Left to do: " + work);
    out.flush();
  }

  /** Shows the present state, unless the last one has been shown just now. */
  public synchronized void show(State state) {
    long now = clock.monotonicNanos();
    boolean other = !state.doing.equals(first.doing);
    if (other) {
      finishLine();
      first = state;
      firstNanos = now;
    }
    long pause = TimeUnit.MILLISECONDS.toNanos(terminal ? REDRAW_MILLIS : LINE_MILLIS);
    if (!other && state.done < state.total && now - shownNanos < pause) {
      return;
    }
    shownNanos = now;
    String line = line(state, now - firstNanos);
    if (terminal) {
      out.print("\r" + line + " ".repeat(Math.max(0, shownLength - line.length())));
      shownLength = line.length();
    } else {
      out.println(line);
    }
    out.flush();
  }

  private String line(State state, long nanos) {
    double share = state.total <= 0 ? 1 : Math.min(1, (double) state.done / state.total);
    int full = (int) (share * WIDTH);
    StringBuilder line =
        new StringBuilder(
            String.format(
                Locale.ROOT,
                "%-10s [%s%s] %3d %%  %d/%d %s",
                state.doing,
                "#".repeat(full),
                ".".repeat(WIDTH - full),
                (int) (share * 100),
                state.done,
                state.total,
                state.unit));
    if (state.rows > 0) {
      line.append(", ").append(state.rows).append(" rows");
    }
    if (!state.detail.isEmpty()) {
      line.append(", ").append(state.detail);
    }
    if (nanos >= RATE_NANOS) {
      double seconds = (double) nanos / TimeUnit.SECONDS.toNanos(1);
      if (state.rows > first.rows) {
        line.append(
            String.format(Locale.ROOT, ", %.0f rows/s", (state.rows - first.rows) / seconds));
      }
      if (state.done > first.done && state.done < state.total) {
        double left = seconds * (state.total - state.done) / (state.done - first.done);
        line.append(
            String.format(Locale.ROOT, ", %d:%02d left", (long) left / 60, (long) left % 60));
      }
    }
    return line.toString();
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
