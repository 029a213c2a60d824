package io.lampone.cli.quickstart;

import io.lampone.client.Isolation;
import io.lampone.client.LamponeClientConfig;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;

/**
 * Options of the quick start.
 *
 * @param data the folder of all data; survives, so that a second start shows durability
 * @param transferTime how long money moves
 * @param threads how many threads move it
 * @param accounts between how many accounts
 * @param isolation isolation of all transactions
 * @param zooKeeperPort 0 for any free one
 * @param keep whether to stay after the summary
 * @param json whether the last line of standard output is the result as JSON
 */
public record QuickstartOptions(
    Path data,
    Duration transferTime,
    int threads,
    int accounts,
    Isolation isolation,
    int zooKeeperPort,
    boolean keep,
    boolean json) {

  /**
   * Under the current folder and not under the user's home: what a quick start leaves behind should
   * be where its user looks, and go with {@code rm -r data}. The repository ignores it.
   */
  static final Path DEFAULT_DATA = Path.of("data", "quickstart");

  /** The same with SQL: its catalogue belongs to the cluster that it was made in. */
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
