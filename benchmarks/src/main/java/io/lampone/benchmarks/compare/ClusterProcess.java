package io.lampone.benchmarks.compare;

import io.lampone.benchmarks.ChildProtocol;
import io.lampone.benchmarks.report.Fields;
import io.lampone.embedded.EmbeddedHBase;
import io.lampone.embedded.EmbeddedHBaseConfig;
import java.nio.file.Path;

/**
 * ZooKeeper, a master and two region servers, in a process of their own. Argument: the folder. It
 * answers every line with how many requests the region servers have been sent so far.
 */
final class ClusterProcess {

  static final String ZOOKEEPER = "zookeeper";
  static final String REQUESTS = "requests";

  private ClusterProcess() {}

  /** Returns the request for the counters. */
  static Fields count() {
    return Fields.of("count");
  }

  /** Runs until the parent has ended the conversation. */
  public static void main(String[] arguments) throws Exception {
    try (EmbeddedHBase hbase =
        EmbeddedHBase.start(EmbeddedHBaseConfig.builder(Path.of(arguments[0])).build())) {
      new ChildProtocol(System.in, System.out)
          .hold(
              Fields.of("ready").with(ZOOKEEPER, hbase.zooKeeperConnectString()),
              line -> Fields.of("counted").with(REQUESTS, requests(hbase)));
      Runtime.getRuntime().halt(0); // the data is thrown away
    }
  }

  /** Counts requests; one with several actions counts once, as it is one message. */
  private static long requests(EmbeddedHBase hbase) {
    long sum = 0;
    for (int number = 0; number < hbase.regionServerCount(); number++) {
      sum +=
          hbase.regionServer(number).getMetrics().getRegionServerWrapper().getTotalRequestCount();
    }
    return sum;
  }
}
