package io.lampone.benchmarks.compare;

import com.codahale.metrics.MetricRegistry;
import io.lampone.benchmarks.ChildProtocol;
import io.lampone.benchmarks.report.Fields;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerServer;
import io.lampone.tm.core.Retention;
import java.time.Duration;

/**
 * Lampone's transaction manager with its defaults. Arguments: the address of ZooKeeper, and, unless
 * it is the default, how many seconds a snapshot stays readable, held or not.
 */
public final class ComparedManagerProcess {

  private ComparedManagerProcess() {}

  /** Runs until the parent has ended the conversation. */
  public static void main(String[] arguments) throws Exception {
    TransactionManagerConfig.Builder config =
        TransactionManagerConfig.builder()
            .bindHost("127.0.0.1")
            .bindPort(0)
            .zookeeperQuorum(arguments[0]);
    if (arguments.length > 1) {
      Duration readable = Duration.ofSeconds(Long.parseLong(arguments[1]));
      config.retention(new Retention(readable, readable));
    }
    try (TransactionManagerServer server =
        TransactionManagerServer.start(config.build(), new MetricRegistry())) {
      server.whenPrimary().join();
      new ChildProtocol(System.in, System.out)
          .holdSilently(Fields.of("ready").with("port", server.port()));
    }
    Runtime.getRuntime().halt(0);
  }
}
