package io.lampone.benchmarks.scale;

import io.lampone.benchmarks.ChildProcess;
import io.lampone.benchmarks.Cores;
import io.lampone.benchmarks.load.ProcessCpu;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Transactions with no data behind them that keep the transaction manager busy: those of {@code
 * lampone tm-load}, in a process of their own.
 */
final class BackgroundLoad implements AutoCloseable {

  private static final int HEAP_MEGABYTES = 512;
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final double PERCENT = 100;

  private final ChildProcess process;
  private final long managerPid;
  private final Clock clock;

  /**
   * Actual load.
   *
   * @param pairsPerSecond transactions that began and were validated
   * @param managerShare share of a processor that the transaction manager used
   */
  record Told(double pairsPerSecond, double managerShare) {

    /** Returns the median by rate. */
    static Told middle(List<Told> told) {
      return told.stream()
          .sorted(Comparator.comparingDouble(Told::pairsPerSecond))
          .toList()
          .get(told.size() / 2);
    }
  }

  /** Work that runs beside such a load. */
  @FunctionalInterface
  interface Body {
    void run() throws IOException, InterruptedException;
  }

  private BackgroundLoad(ChildProcess process, long managerPid, Clock clock) {
    this.process = process;
    this.managerPid = managerPid;
    this.clock = clock;
  }

  /**
   * Starts the process of the load.
   *
   * @param cores the process runs on the core for load
   */
  static BackgroundLoad start(
      InetSocketAddress manager, long managerPid, long seed, Cores cores, Clock clock)
      throws IOException {
    return new BackgroundLoad(
        ChildProcess.startLoad(
            new ChildProcess.Program(
                "load behind",
                System.getProperty("java.class.path"),
                LoadProcess.class.getName(),
                HEAP_MEGABYTES,
                List.of(
                    manager.getHostString(),
                    Integer.toString(manager.getPort()),
                    Long.toString(seed))),
            cores),
        managerPid,
        clock);
  }

  /**
   * Measures how many such transactions the transaction manager executes a second, with no other
   * work.
   */
  Told capacity(Duration measured) throws IOException, InterruptedException {
    Body nothing = () -> TimeUnit.NANOSECONDS.sleep(measured.toNanos());
    during(0, nothing); // it learns
    return during(0, nothing);
  }

  /** Runs the body beside a load of a percentage of the capacity; 0 percent is no load. */
  Told beside(int percent, Told capacity, Body body) throws IOException, InterruptedException {
    if (percent == 0) {
      long before = managerNanos();
      long start = clock.monotonicNanos();
      body.run();
      return new Told(0, share(before, start));
    }
    return during(Math.max(1, Math.round(capacity.pairsPerSecond() * percent / PERCENT)), body);
  }

  /** Runs the body beside a load of this rate, or, if 0, at the pace of the replies. */
  private Told during(long rate, Body body) throws IOException, InterruptedException {
    process.ask(LoadProcess.start(rate), PATIENCE);
    long before = managerNanos();
    long start = clock.monotonicNanos();
    body.run();
    double share = share(before, start);
    return new Told(
        process.ask(LoadProcess.stop(), PATIENCE).number(LoadProcess.PAIRS_PER_SECOND), share);
  }

  private double share(long nanosBefore, long start) {
    return (managerNanos() - nanosBefore) / (double) (clock.monotonicNanos() - start);
  }

  private long managerNanos() {
    return ProcessCpu.nanos(managerPid).orElse(0);
  }

  @Override
  public void close() {
    process.close();
  }
}
