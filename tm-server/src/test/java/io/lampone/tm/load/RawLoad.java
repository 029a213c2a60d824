package io.lampone.tm.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Loads a transaction manager in another process from one thread, and tells what it has done and
 * what it cost that process. Each connection has one frame under way.
 *
 * <pre>
 *   RawLoad port pid connections beginsPerFrame hashes keys framesPerSecond warmUpSeconds seconds
 * </pre>
 *
 * {@code framesPerSecond} is for all connections together; 0 sends as soon as the answer is there.
 */
final class RawLoad {

  private static final int MAX_SAMPLES = 10_000_000;

  /** USER_HZ, which Linux shows as 100 on every architecture. */
  private static final double TICKS_PER_SECOND = 100;

  private final long pid;
  private final List<RawConnection> connections = new ArrayList<>();
  private final long[] sentNanos;
  private final long[] roundTripNanos = new long[MAX_SAMPLES];
  private int samples;

  private RawLoad(String[] arguments) throws IOException {
    int port = Integer.parseInt(arguments[0]);
    pid = Long.parseLong(arguments[1]);
    int count = Integer.parseInt(arguments[2]);
    sentNanos = new long[count];
    for (int i = 0; i < count; i++) {
      connections.add(
          new RawConnection(
              port,
              Integer.parseInt(arguments[3]),
              Integer.parseInt(arguments[4]),
              Long.parseLong(arguments[5]),
              i));
    }
  }

  public static void main(String[] arguments) throws IOException {
    RawLoad load = new RawLoad(arguments);
    double framesPerSecond = Double.parseDouble(arguments[6]);
    load.run(framesPerSecond, Integer.parseInt(arguments[7]));
    long begun = load.begun();
    long passed = load.passed();
    long cpuTicks = load.cpuTicks();
    load.samples = 0;
    long nanos = load.run(framesPerSecond, Integer.parseInt(arguments[8]));
    begun = load.begun() - begun;
    passed = load.passed() - passed;
    double cpuMicros = (load.cpuTicks() - cpuTicks) * 1e6 / TICKS_PER_SECOND;
    double seconds = nanos / 1e9;
    Arrays.sort(load.roundTripNanos, 0, load.samples);
    System.out.printf(
        "timestamps/s=%.0f pairs/s=%.0f cpu=%.2f cpuMicrosPerTimestamp=%.3f cpuMicrosPerPair=%.3f"
            + " frames/s=%.0f roundTripMicros p50=%d p99=%d p99.9=%d conflicts=%d others=%d%n",
        begun / seconds,
        passed / seconds,
        cpuMicros / 1e6 / seconds,
        cpuMicros / begun,
        cpuMicros / Math.max(1, passed),
        load.samples / seconds,
        load.percentileMicros(0.5),
        load.percentileMicros(0.99),
        load.percentileMicros(0.999),
        load.connections.stream().mapToLong(RawConnection::conflicts).sum(),
        load.connections.stream().mapToLong(RawConnection::others).sum());
    for (RawConnection connection : load.connections) {
      connection.close();
    }
  }

  /** Ends with no frame under way; returns how long it took. */
  private long run(double framesPerSecond, int seconds) throws IOException {
    long begin = System.nanoTime();
    long end = begin + seconds * 1_000_000_000L;
    double nanosPerFrame = framesPerSecond == 0 ? 0 : 1e9 / framesPerSecond;
    long frames = 0;
    for (int i = 0; i < connections.size(); i++) {
      send(i, begin + (long) (frames++ * nanosPerFrame));
    }
    long now = begin;
    while (now < end) {
      for (int i = 0; i < connections.size(); i++) {
        now = await(i);
        send(i, nanosPerFrame == 0 ? now : begin + (long) (frames++ * nanosPerFrame));
      }
    }
    for (int i = 0; i < connections.size(); i++) {
      await(i);
    }
    return System.nanoTime() - begin;
  }

  /** Latency counts from the moment at which the frame was due. */
  private void send(int i, long dueNanos) throws IOException {
    while (System.nanoTime() < dueNanos) {
      Thread.onSpinWait();
    }
    sentNanos[i] = dueNanos;
    connections.get(i).send();
  }

  private long await(int i) throws IOException {
    connections.get(i).await();
    long now = System.nanoTime();
    if (samples < MAX_SAMPLES) {
      roundTripNanos[samples++] = now - sentNanos[i];
    }
    return now;
  }

  private long percentileMicros(double share) {
    return samples == 0 ? 0 : roundTripNanos[(int) (samples * share)] / 1000;
  }

  private long begun() {
    return connections.stream().mapToLong(RawConnection::begun).sum();
  }

  private long passed() {
    return connections.stream().mapToLong(RawConnection::passed).sum();
  }

  /** User and system time of the server so far. */
  private long cpuTicks() throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
  }
}
