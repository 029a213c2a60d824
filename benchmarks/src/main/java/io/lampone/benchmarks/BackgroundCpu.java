package io.lampone.benchmarks;

import io.lampone.benchmarks.load.MachineCpu;
import io.lampone.benchmarks.load.ProcessCpu;
import io.lampone.protocol.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Share of the machine used by processes outside the benchmark, from the creation of the object on:
 * with more than a few percent, times and throughput are unreliable.
 */
public final class BackgroundCpu {

  private final Clock clock;
  private final LongSupplier ownNanos;
  private final Supplier<OptionalLong> busyNanos;
  private final long beganNanos;
  private final long ownBefore;
  private final OptionalLong busyBefore;

  /**
   * Begins to count.
   *
   * @param own the processes of the benchmark, all of which run
   */
  public BackgroundCpu(Clock clock, List<ChildProcess> own) {
    this(clock, nanosOf(List.copyOf(own)), MachineCpu::busyNanos);
  }

  /**
   * Begins to count.
   *
   * @param ownNanos processor time of the measured processes
   * @param busyNanos processor time of all processes, if known
   */
  public BackgroundCpu(Clock clock, LongSupplier ownNanos, Supplier<OptionalLong> busyNanos) {
    this.clock = clock;
    this.ownNanos = ownNanos;
    this.busyNanos = busyNanos;
    this.beganNanos = clock.monotonicNanos();
    this.ownBefore = ownNanos.getAsLong();
    this.busyBefore = busyNanos.get();
  }

  private static LongSupplier nanosOf(List<ChildProcess> own) {
    return () -> own.stream().mapToLong(each -> ProcessCpu.nanos(each.pid()).orElse(0)).sum();
  }

  /** Returns the number of processors kept busy by other processes, or a part; 0 if unknown. */
  public double processors() {
    OptionalLong busy = busyNanos.get();
    long elapsedNanos = clock.monotonicNanos() - beganNanos;
    if (busy.isEmpty() || busyBefore.isEmpty() || elapsedNanos <= 0) {
      return 0;
    }
    long all = busy.getAsLong() - busyBefore.getAsLong();
    long own = ownNanos.getAsLong() - ownBefore;
    return Math.max(0, (double) (all - own) / elapsedNanos);
  }

  /** Returns the share of all cores. */
  public double share() {
    return processors() / Runtime.getRuntime().availableProcessors();
  }

  /** Describes the result for the head of a table. */
  public String describe() {
    return String.format(
        Locale.ROOT, "other processes took %.1f %% of the machine meanwhile", 100 * share());
  }
}
