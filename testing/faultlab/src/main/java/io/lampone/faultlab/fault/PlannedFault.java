package io.lampone.faultlab.fault;

import java.util.Locale;

/**
 * A fault that will be injected.
 *
 * @param kind of the fault
 * @param atMillis after the start of the load; later if the one before it took longer
 * @param millis until it is healed
 * @param target the member, {@link Schedule#PRIMARY}, or empty if the kind needs none
 * @param choice random number for further decisions at the injection
 */
public record PlannedFault(FaultKind kind, long atMillis, long millis, String target, int choice) {

  private static final double MILLIS = 1e3;

  /** One line for people. */
  public String describe() {
    return String.format(
        Locale.ROOT,
        "%7.1f s  %-11s %-10s %s",
        atMillis / MILLIS,
        kind,
        target,
        millis == 0 ? "" : String.format(Locale.ROOT, "%.1f s", millis / MILLIS));
  }
}
