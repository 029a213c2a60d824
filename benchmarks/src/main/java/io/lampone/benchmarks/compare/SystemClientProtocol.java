package io.lampone.benchmarks.compare;

import io.lampone.benchmarks.ChildProtocol;
import io.lampone.benchmarks.report.Fields;
import io.lampone.client.Isolation;
import io.lampone.client.LamponeClientConfig;
import io.lampone.protocol.time.SystemClock;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;

/**
 * Main method of a contender's client. Commands: {@code fill}, once, and then {@code run class=KEY
 * millis=N}, repeatedly; each run is answered with a {@link SliceResult}.
 */
public final class SystemClientProtocol {

  /** Rows in a transaction while a table is filled. */
  private static final int BATCH = 100;

  private SystemClientProtocol() {}

  /** Connects a contender. */
  @FunctionalInterface
  public interface Connector {

    /** Connects a client to a cluster's table. */
    SystemClient connect(Start start) throws Exception;
  }

  /**
   * Arguments of a process.
   *
   * @param contender the system under test
   * @param server address of its server of timestamps, for systems that do not use ZooKeeper for it
   * @param configuration configuration of the cluster
   * @param serializable whether Lampone's transactions are serializable
   */
  public record Start(
      SystemUnderTest contender,
      String server,
      Configuration configuration,
      int threads,
      Rows rows,
      long seed,
      boolean serializable) {

    /** Returns the arguments of a client process. */
    static List<String> arguments(
        SystemUnderTest contender, String server, String zooKeeper, ComparePlan plan) {
      return List.of(
          contender.name(),
          server,
          zooKeeper,
          Integer.toString(plan.threads()),
          Integer.toString(plan.rows()),
          Integer.toString(plan.valueBytes()),
          Double.toString(plan.theta()),
          Long.toString(plan.seed()),
          Boolean.toString(plan.serializable()));
    }

    private static Start of(String[] arguments) {
      int next = 0;
      SystemUnderTest contender = SystemUnderTest.valueOf(arguments[next++]);
      String server = arguments[next++];
      Configuration configuration = SystemClientProtocol.configuration(arguments[next++]);
      int threads = Integer.parseInt(arguments[next++]);
      int count = Integer.parseInt(arguments[next++]);
      int bytes = Integer.parseInt(arguments[next++]);
      Rows rows = new Rows(count, bytes, Double.parseDouble(arguments[next++]));
      long seed = Long.parseLong(arguments[next++]);
      boolean serializable = contender.isLampone() && Boolean.parseBoolean(arguments[next]);
      if (serializable) {
        configuration.set(LamponeClientConfig.PREFIX + "isolation", Isolation.SERIALIZABLE.name());
      }
      return new Start(contender, server, configuration, threads, rows, seed, serializable);
    }

    /** Returns the contender's table. */
    public TableName table() {
      return TableName.valueOf(contender.table());
    }
  }

  /**
   * Returns the configuration of a client of the cluster with this ZooKeeper, {@code host:port}.
   */
  public static Configuration configuration(String zooKeeper) {
    int colon = zooKeeper.lastIndexOf(':');
    Configuration configuration = HBaseConfiguration.create();
    configuration.set("hbase.zookeeper.quorum", zooKeeper.substring(0, colon));
    configuration.set("hbase.zookeeper.property.clientPort", zooKeeper.substring(colon + 1));
    return configuration;
  }

  /** Answers on the standard streams until the parent has ended the conversation. */
  public static void hold(String[] arguments, Connector connector) throws Exception {
    Start start = Start.of(arguments);
    try (SystemClientLoop loop =
        new SystemClientLoop(
            connector.connect(start),
            start.rows(),
            start.threads(),
            start.seed(),
            start.serializable(),
            SystemClock.INSTANCE)) {
      new ChildProtocol(System.in, System.out)
          .hold(Fields.of("ready"), line -> answer(loop, start.contender(), line));
    }
    Runtime.getRuntime().halt(0);
  }

  static Fields fill() {
    return Fields.of("fill");
  }

  static Fields run(TransactionClass transactions, Duration duration) {
    return Fields.of("run").with("class", transactions.name()).with("millis", duration.toMillis());
  }

  private static Fields answer(SystemClientLoop loop, SystemUnderTest contender, Fields line)
      throws Exception {
    switch (line.word()) {
      case "fill" -> {
        // The fast path fills by itself: its rows are then as its own operations leave them.
        loop.fill(contender == SystemUnderTest.FAST_PATH ? 1 : BATCH);
        return Fields.of("filled");
      }
      case "run" -> {
        return loop.run(
                TransactionClass.valueOf(line.text("class")),
                Duration.ofMillis(line.number("millis")))
            .encode();
      }
      default -> throw new IllegalArgumentException("unknown request, line=" + line);
    }
  }
}
