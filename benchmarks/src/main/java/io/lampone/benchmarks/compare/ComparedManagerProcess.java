package io.lampone.benchmarks.compare;

import com.codahale.metrics.MetricRegistry;
import io.lampone.benchmarks.ChildProtocol;
import io.lampone.benchmarks.report.Fields;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerServer;

/** Lampone's transaction manager with its defaults. Argument: the address of ZooKeeper. */
final class ComparedManagerProcess {

  private ComparedManagerProcess() {}

  /** Runs until the parent has ended the conversation. */
  public static void main(String[] arguments) throws Exception {
    TransactionManagerConfig config =
        TransactionManagerConfig.builder()
            .bindHost("127.0.0.1")
            .bindPort(0)
            .zookeeperQuorum(arguments[0])
            .build();
    try (TransactionManagerServer server =
        TransactionManagerServer.start(config, new MetricRegistry())) {
      server.whenPrimary().join();
      new ChildProtocol(System.in, System.out)
          .holdSilently(Fields.of("ready").with("port", server.port()));
    }
    Runtime.getRuntime().halt(0);
  }
}
