package io.lampone.benchmarks.scale;

import io.lampone.benchmarks.ChildProtocol;
import io.lampone.benchmarks.load.LibraryLoad;
import io.lampone.benchmarks.load.LoadPlan;
import io.lampone.benchmarks.load.PhaseFigures;
import io.lampone.benchmarks.load.WriteSizes;
import io.lampone.benchmarks.report.Fields;
import io.lampone.protocol.time.SystemClock;
import io.lampone.tmclient.TransactionManagerClientConfig;
import io.lampone.tmclient.discovery.AddressSource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Generates the background load in a separate process, so that its garbage collection does not
 * disturb the measured one. Arguments: host and port of the transaction manager, and a seed.
 * Commands: {@code start rate=N} and {@code stop}, in turns.
 */
final class LoadProcess implements AutoCloseable {

  static final String RATE = "rate";
  static final String PAIRS_PER_SECOND = "pairsPerSecond";

  /** Cells of a transaction: they cost the transaction manager more than the load generator. */
  private static final int WRITES = 32;

  private static final long CELLS = 10_000_000;

  /** Outstanding transactions: enough to saturate the transaction manager. */
  private static final int OUTSTANDING = 1_024;

  /** Time until a load counts as steady. */
  private static final Duration SETTLING = Duration.ofMillis(500);

  private final InetSocketAddress manager;
  private final long seed;

  /** Running load, if any; used by one thread. */
  private @Nullable LibraryLoad load;

  private LoadProcess(InetSocketAddress manager, long seed) {
    this.manager = manager;
    this.seed = seed;
  }

  /** Runs until the parent has ended the conversation. */
  public static void main(String[] arguments) throws Exception {
    InetSocketAddress manager = new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1]));
    try (LoadProcess process = new LoadProcess(manager, Long.parseLong(arguments[2]))) {
      new ChildProtocol(System.in, System.out).hold(Fields.of("ready"), process::answer);
    }
    Runtime.getRuntime().halt(0);
  }

  /**
   * Returns the request to start a load.
   *
   * @param rate transactions begun a second; 0 for as many as the answers allow
   */
  static Fields start(long rate) {
    return Fields.of("start").with(RATE, rate);
  }

  static Fields stop() {
    return Fields.of("stop");
  }

  private Fields answer(Fields line) throws IOException, InterruptedException {
    return switch (line.word()) {
      case "start" -> begin(line.number(RATE));
      case "stop" -> end();
      default -> throw new IllegalArgumentException("unknown request, line=" + line);
    };
  }

  private Fields begin(long rate) throws InterruptedException {
    close();
    LoadPlan plan =
        new LoadPlan(
            LoadPlan.Client.LIBRARY,
            1,
            OUTSTANDING,
            rate,
            CELLS,
            0,
            new WriteSizes.Fixed(WRITES),
            0,
            SETTLING,
            SETTLING,
            seed);
    LibraryLoad started =
        new LibraryLoad(
            plan,
            TransactionManagerClientConfig.builder().build(),
            AddressSource.fixed(manager),
            SystemClock.INSTANCE);
    load = started;
    started.start(LoadPlan.Phase.PAIR);
    TimeUnit.NANOSECONDS.sleep(SETTLING.toNanos());
    started.reset();
    return Fields.of("started");
  }

  private Fields end() throws IOException, InterruptedException {
    LibraryLoad stopped = load;
    if (stopped == null) {
      throw new IllegalStateException("nothing runs");
    }
    PhaseFigures figures = stopped.stop();
    String failure = stopped.firstFailure();
    close();
    if (figures.failures() > 0) {
      throw new IOException("the load behind was not executed, first=" + failure);
    }
    return Fields.of("stopped").with(PAIRS_PER_SECOND, Math.round(figures.pairsPerSecond()));
  }

  @Override
  public void close() {
    LibraryLoad running = load;
    if (running != null) {
      running.close();
    }
    load = null;
  }
}
