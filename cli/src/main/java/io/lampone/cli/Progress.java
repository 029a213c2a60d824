package io.lampone.cli;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.function.LongSupplier;

/** Progress lines, each with the seconds since the process started. Thread-safe. */
public final class Progress {

  private final PrintWriter out;
  private final LongSupplier uptimeMillis;

  public Progress(PrintWriter out, LongSupplier uptimeMillis) {
    this.out = out;
    this.uptimeMillis = uptimeMillis;
  }

  /** Prints a step, just done or about to start. */
  public void step(String text) {
    print(String.format(Locale.ROOT, "[%5.1f s] %s", seconds(), text));
  }

  /** Prints a line without a time. */
  public synchronized void print(String text) {
    out.println(text);
    out.flush();
  }

  /** Since the process began. */
  public double seconds() {
    return uptimeMillis.getAsLong() / 1000.0;
  }
}
