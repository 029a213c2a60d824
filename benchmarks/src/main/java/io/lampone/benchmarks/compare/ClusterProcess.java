package io.lampone.benchmarks.compare;

import io.lampone.benchmarks.ChildProtocol;
import io.lampone.benchmarks.report.Fields;
import io.lampone.embedded.EmbeddedHBase;
import io.lampone.embedded.EmbeddedHBaseConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * ZooKeeper, a master and region servers, in a process of their own. It answers every line with how
 * many requests the region servers have been sent so far.
 */
public final class ClusterProcess {

  /** Field of its first line: where its ZooKeeper is. */
  public static final String ZOOKEEPER = "zookeeper";

  static final String REQUESTS = "requests";

  private ClusterProcess() {}

  /** Returns the arguments of such a process: folder, number of region servers, settings. */
  public static List<String> arguments(EmbeddedHBaseConfig config) {
    List<String> arguments = new ArrayList<>();
    arguments.add(config.dataDirectory().toString());
    arguments.add(Integer.toString(config.regionServers()));
    config.settings().forEach((name, value) -> arguments.add(name + "=" + value));
    return arguments;
  }

  private static EmbeddedHBaseConfig config(String[] arguments) {
    EmbeddedHBaseConfig.Builder config =
        EmbeddedHBaseConfig.builder(Path.of(arguments[0]))
            .regionServers(Integer.parseInt(arguments[1]));
    for (String setting : List.of(arguments).subList(2, arguments.length)) {
      int equals = setting.indexOf('=');
      config.setting(setting.substring(0, equals), setting.substring(equals + 1));
    }
    return config.build();
  }

  /** Returns the request for the counters. */
  static Fields count() {
    return Fields.of("count");
  }

  /** Runs until the parent has ended the conversation. */
  public static void main(String[] arguments) throws Exception {
    try (EmbeddedHBase hbase = EmbeddedHBase.start(config(arguments))) {
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
