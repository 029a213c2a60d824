package io.lampone.tm;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.time.SystemClock;
import io.lampone.tm.core.MemoryRecordStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How long an admitted client's begins take in calm and in each storm. A program, not a test:
 *
 * <pre>java -cp ... io.lampone.tm.StormMeasurement [seconds for each measurement]</pre>
 */
final class StormMeasurement {

  private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(500);
  private static final int CONNECTIONS = 10_000;

  private StormMeasurement() {}

  public static void main(String[] arguments) throws Exception {
    long seconds = arguments.length > 0 ? Long.parseLong(arguments[0]) : 8;
    try (TransactionManagerServer server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder().bindHost("127.0.0.1").bindPort(0).build(),
            new MetricRegistry(),
            new MemoryRecordStore(),
            SystemClock.INSTANCE)) {
      server.whenPrimary().join();
      measure(server, "warm up", seconds, List.of());
      for (int round = 1; round <= 2; round++) {
        double calm = measure(server, "calm", seconds, List.of());
        for (int storm = 0; storm < 4; storm++) {
          List<Storm> storms = start(server.port(), storm);
          double p99 = measure(server, name(storm), seconds, storms);
          System.out.printf("  ratio of p99=%.2f%n", p99 / calm);
        }
      }
    }
  }

  private static String name(int storm) {
    return switch (storm) {
      case 0 -> "storm of " + CONNECTIONS + " connections";
      case 1 -> "storm of begins, 1 a frame";
      case 2 -> "storm of begins, 1000 a frame";
      default -> "two storms of begins, 1000 a frame";
    };
  }

  private static List<Storm> start(int port, int storm) {
    return switch (storm) {
      case 0 -> List.of(Storm.ofConnections(port, CONNECTIONS));
      case 1 -> List.of(Storm.ofBegins(port, 1));
      case 2 -> List.of(Storm.ofBegins(port, 1000));
      default -> List.of(Storm.ofBegins(port, 1000), Storm.ofBegins(port, 1000));
    };
  }

  private static double measure(
      TransactionManagerServer server, String name, long seconds, List<Storm> storms)
      throws Exception {
    List<Long> nanos = new ArrayList<>();
    int refused = 0;
    try (FrameSocket client = new FrameSocket(server.port())) {
      client.greet();
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
      for (long id = 1; System.nanoTime() - end < 0; id++) {
        long before = System.nanoTime();
        boolean begun = client.begins(id);
        nanos.add(System.nanoTime() - before);
        refused += begun ? 0 : 1;
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
    long done = 0;
    for (Storm storm : storms) {
      done += storm.done();
      storm.close();
    }
    long[] sorted = nanos.stream().mapToLong(Long::longValue).toArray();
    Arrays.sort(sorted);
    double p99 = sorted[sorted.length * 99 / 100] / 1e3;
    System.out.printf(
        "%s: begins=%d refused=%d p50=%.0f us p99=%.0f us p999=%.0f us stormCount=%d%n",
        name,
        sorted.length,
        refused,
        sorted[sorted.length / 2] / 1e3,
        p99,
        sorted[sorted.length * 999 / 1000] / 1e3,
        done);
    return p99;
  }
}
