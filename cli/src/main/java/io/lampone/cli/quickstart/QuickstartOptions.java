package io.lampone.cli.quickstart;

import io.lampone.client.Isolation;
import io.lampone.client.LamponeClientConfig;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;

/**
 * Options of the quick start.
 *
 * @param data folder of all data; survives, so that a second start shows durability
 * @param transferTime duration of the transfers
 * @param threads number of threads that transfer
 * @param accounts number of accounts
 * @param isolation isolation of all transactions
 * @param zooKeeperPort port of ZooKeeper; 0 for any free one
 * @param publishedPort first port of a cluster in a container; 0 for a cluster on 127.0.0.1
 * @param empty true to start the cluster only
 * @param keep true to keep running after the summary
 * @param json true to print the result as JSON on the last line of standard output
 */
public record QuickstartOptions(
    Path data,
    Duration transferTime,
    int threads,
    int accounts,
    Isolation isolation,
    int zooKeeperPort,
    int publishedPort,
    boolean empty,
    boolean keep,
    boolean json) {

  /**
   * Default folder, below the current folder and not the home folder: users find it there and
   * remove it with {@code rm -r data}. The repository ignores it.
   */
  static final Path DEFAULT_DATA = Path.of("data", "quickstart");

  /** Default folder with SQL: its catalogue belongs to the cluster that created it. */
  static final Path DEFAULT_SQL_DATA = Path.of("data", "quickstart-sql");

  /** Configuration with which a shell in the same folder connects by default. */
  public static final Path DEFAULT_SITE = DEFAULT_DATA.resolve("hbase-site.xml");

  /** Longest time that money moves. */
  static final int MAX_SECONDS = 24 * 60 * 60;

  /** The client configuration that is written into the data folder. */
  public Path site() {
    return data.resolve("hbase-site.xml");
  }

  /** Returns a client's configuration with the chosen isolation. */
  Configuration forClients(Configuration cluster) {
    Configuration configuration = new Configuration(cluster);
    configuration.set(LamponeClientConfig.PREFIX + "isolation", isolation.name());
    return configuration;
  }

  /** The log. */
  public Path log() {
    return data.resolve("lampone.log");
  }
}
