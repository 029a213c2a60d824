package io.lampone.benchmarks;

import com.codahale.metrics.MetricRegistry;
import io.lampone.benchmarks.report.Fields;
import io.lampone.protocol.time.SystemClock;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerServer;
import io.lampone.tm.core.RecordStore;
import java.util.List;

/** Lampone's transaction manager with its defaults, but for the record, which is in memory. */
public final class MemoryManagerProcess {

  /** Argument for an event loop that never sleeps. */
  static final String BUSY_POLL = "busy-poll";

  private MemoryManagerProcess() {}

  /** Runs until the parent has ended the conversation. */
  public static void main(String[] arguments) throws Exception {
    TransactionManagerConfig config =
        TransactionManagerConfig.builder()
            .bindHost("127.0.0.1")
            .bindPort(0)
            .eventLoopBusyPoll(busyPoll(arguments))
            .build();
    try (TransactionManagerServer server =
        TransactionManagerServer.start(
            config, new MetricRegistry(), new RecordStore.InMemory(), SystemClock.INSTANCE)) {
      server.whenPrimary().join();
      new ChildProtocol(System.in, System.out)
          .holdSilently(Fields.of("ready").with("port", server.port()));
    }
    System.exit(0);
  }

  static boolean busyPoll(String[] arguments) {
    return List.of(arguments).contains(BUSY_POLL);
  }
}
