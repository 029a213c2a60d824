package io.lampone.benchmarks.load;

import io.lampone.benchmarks.load.LoadPlan.Client;
import io.lampone.benchmarks.load.LoadPlan.Phase;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.BucketMap;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Processor time of a primary in a process of its own, with and without a validator. */
public final class PrimaryCpu {

  private static final int[] SIZES = {2, 8, 32, 64};
  private static final double NANOS_PER_MICRO = 1e3;
  private static final Duration START_TIMEOUT = Duration.ofMinutes(3);

  /** Longer than a busy machine stops a process, because the load does not survive its primary. */
  private static final String LEASE = "30s";

  private final String quorum;
  private final Path folder;
  private final Duration warmUp;
  private final Duration measured;
  private final long seed;
  private final Clock clock;

  /**
   * @param folder folder for logs
   * @param warmUp how long the load of a measurement runs before it counts
   * @param measured how long it counts
   */
  public PrimaryCpu(
      String quorum, Path folder, Duration warmUp, Duration measured, long seed, Clock clock) {
    this.quorum = quorum;
    this.folder = folder;
    this.warmUp = warmUp;
    this.measured = measured;
    this.seed = seed;
    this.clock = clock;
  }

  /**
   * Returns the primary's processor time for a transaction in microseconds, by number of keys.
   *
   * @param votes if a validator owns all buckets: receives its processor time for a vote
   */
  public Map<Integer, Double> micros(Optional<Map<Integer, Double>> votes)
      throws IOException, InterruptedException {
    Map<String, String> properties =
        Map.of(
            "lampone.tm.zookeeper.quorum",
            quorum,
            "lampone.tm.zookeeper.parent",
            "/lampone-" + (votes.isPresent() ? "sharded" : "alone"),
            "lampone.tm.buckets.primary",
            "false",
            "lampone.tm.timestamps.ahead",
            LEASE,
            "lampone.tm.lease.duration",
            LEASE);
    Map<Integer, Double> micros = new TreeMap<>();
    try (ManagerProcess manager =
            ManagerProcess.start(
                properties,
                false,
                List.of(),
                List.of("-Xmx1g", "-XX:+UseSerialGC"),
                folder.resolve("primary.log"));
        ValidatorSet validators = new ValidatorSet(manager.address(), properties, folder)) {
      manager.awaitPrimary(START_TIMEOUT);
      RawTarget target = RawTarget.PRIMARY;
      if (votes.isPresent()) {
        ManagerProcess voting = validators.start("w");
        validators.add("w");
        BucketMap map = validators.map();
        measure(voting, new RawTarget(0, map.validators().get(0).incarnation()), votes.get());
        target = new RawTarget(map.version(), 0);
      }
      measure(manager, target, micros);
    }
    return micros;
  }

  private void measure(ManagerProcess process, RawTarget target, Map<Integer, Double> micros)
      throws IOException, InterruptedException {
    measure(process, SIZES[0], target); // warms up
    for (int size : SIZES) {
      micros.put(size, measure(process, size, target));
    }
  }

  private double measure(ManagerProcess manager, int keys, RawTarget target)
      throws IOException, InterruptedException {
    LoadPlan plan =
        new LoadPlan(
            Client.RAW,
            1,
            1000,
            0,
            1_000_000,
            0,
            WriteSizes.parse("fixed:" + keys),
            0,
            warmUp,
            measured,
            seed);
    try (RawLoad load = new RawLoad(plan, manager.address(), clock, target)) {
      load.start(Phase.PAIR);
      TimeUnit.NANOSECONDS.sleep(warmUp.toNanos());
      long before = ProcessCpu.nanos(manager.pid()).orElse(0);
      load.reset();
      TimeUnit.NANOSECONDS.sleep(measured.toNanos());
      long after = ProcessCpu.nanos(manager.pid()).orElse(0);
      double transactions = load.stop().commits();
      return (after - before) / transactions / NANOS_PER_MICRO;
    }
  }
}
