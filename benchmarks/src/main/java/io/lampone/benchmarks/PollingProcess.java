package io.lampone.benchmarks;

import io.lampone.benchmarks.report.Fields;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Requests timestamps from servers at a fixed rate. Arguments: {@code NAME=PORT} of a transaction
 * manager, or {@code NAME=PORT=echo} of an echo. Command: {@code slice to=NAME perSecond=N
 * requests=N}.
 */
public final class PollingProcess {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private PollingProcess() {}

  /** Runs until the parent has ended the conversation. */
  public static void main(String[] arguments) throws Exception {
    Clock clock = SystemClock.INSTANCE;
    Map<String, PollingConnection> connections = new LinkedHashMap<>();
    for (String argument : arguments) {
      String[] parts = argument.split("=", -1);
      int port = Integer.parseInt(parts[1]);
      connections.put(
          parts[0],
          parts.length > 2
              ? PollingConnection.toEcho(port, clock)
              : PollingConnection.toManager(port, clock));
    }
    new ChildProtocol(System.in, System.out)
        .hold(
            Fields.of("ready"),
            line -> {
              PollingConnection connection = connections.get(line.text("to"));
              if (connection == null) {
                throw new IllegalArgumentException("unknown server, line=" + line);
              }
              Latencies latencies =
                  slice(connection, line.number("perSecond"), line.number("requests"), clock);
              return Fields.of("slice").with("latencies", latencies.encode());
            });
    System.exit(0);
  }

  /** Returns the request for a slice. */
  static Fields slice(String to, int perSecond, long requests) {
    return Fields.of("slice")
        .with("to", to)
        .with("perSecond", perSecond)
        .with("requests", requests);
  }

  /** Runs a slice; its first request is due after one interval, during which servers were idle. */
  private static Latencies slice(
      PollingConnection connection, long perSecond, long requests, Clock clock) throws IOException {
    Latencies latencies = new Latencies();
    long intervalNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
    long start = clock.monotonicNanos() + intervalNanos;
    long sent = 0;
    while (sent < requests || connection.underWay() > 0) {
      long now = clock.monotonicNanos();
      if (sent < requests && now - (start + sent * intervalNanos) >= 0) {
        connection.send(start + sent * intervalNanos);
        sent++;
      }
      connection.poll(latencies);
      if (now - start > requests * intervalNanos + PATIENCE.toNanos()) {
        throw new IOException("requests without an answer, underWay=" + connection.underWay());
      }
    }
    return latencies;
  }
}
