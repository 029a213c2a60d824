package io.lampone.simulation.world;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Events of a run, line by line; kept only on request. */
public final class Trace {

  private static final long NANOS_PER_MICRO = 1_000;

  private final boolean kept;
  private final List<String> lines = new ArrayList<>();

  public Trace(boolean kept) {
    this.kept = kept;
  }

  boolean isKept() {
    return kept;
  }

  void line(long atNanos, String who, String what) {
    if (kept) {
      lines.add(String.format(Locale.ROOT, "%10d %-4s %s", atNanos / NANOS_PER_MICRO, who, what));
    }
  }

  public List<String> lines() {
    return List.copyOf(lines);
  }
}
