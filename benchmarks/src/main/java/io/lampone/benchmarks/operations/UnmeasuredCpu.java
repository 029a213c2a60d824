package io.lampone.benchmarks.operations;

import io.lampone.protocol.time.Clock;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Share of the machine used by processes that are not measured, since its creation. */
final class UnmeasuredCpu {

  private final Clock clock;
  private final LongSupplier ownNanos;
  private final Supplier<OptionalLong> busyNanos;
  private final long beganNanos;
  private final long ownBefore;
  private final OptionalLong busyBefore;

  /**
   * Starts the measurement.
   *
   * @param ownNanos processor time of the measured processes
   * @param busyNanos processor time of all processes, if known
   */
  UnmeasuredCpu(Clock clock, LongSupplier ownNanos, Supplier<OptionalLong> busyNanos) {
    this.clock = clock;
    this.ownNanos = ownNanos;
    this.busyNanos = busyNanos;
    this.beganNanos = clock.monotonicNanos();
    this.ownBefore = ownNanos.getAsLong();
    this.busyBefore = busyNanos.get();
  }

  /** Returns the number of processors kept busy by other processes, or a part; 0 if unknown. */
  double processors() {
    OptionalLong busy = busyNanos.get();
    long elapsedNanos = clock.monotonicNanos() - beganNanos;
    if (busy.isEmpty() || busyBefore.isEmpty() || elapsedNanos <= 0) {
      return 0;
    }
    long all = busy.getAsLong() - busyBefore.getAsLong();
    long own = ownNanos.getAsLong() - ownBefore;
    return Math.max(0, (double) (all - own) / elapsedNanos);
  }
}
