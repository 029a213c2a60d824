package io.lampone.cli;

import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.tm.Member;
import io.lampone.tmclient.ClientProperties;
import io.lampone.tmclient.PrimaryAddress;
import io.lampone.tmclient.TransactionManagerClientConfig;
import io.lampone.tmclient.ZooKeeperAddressSource;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;

/** What ZooKeeper knows of the transaction managers, for commands that speak to them. */
final class ManagerAccess implements AutoCloseable {

  /** Name of the property that holds the parent znode. */
  private static final String ZOOKEEPER_PARENT = "lampone.zookeeper.parent";

  private static final long TIMEOUT_SECONDS = 15;
  private static final String WHERE = "--zookeeper HOST:PORT or --config FILE say where it is";

  private final TransactionManagerClientConfig config;
  private final ZooKeeperAddressSource source;

  private ManagerAccess(TransactionManagerClientConfig config, ZooKeeperAddressSource source) {
    this.config = config;
    this.source = source;
  }

  /**
   * Prepares to look.
   *
   * @param notes where to say which cluster was found when no option names one
   * @throws CommandException if a setting makes no sense
   */
  static ManagerAccess open(ConnectionOptions connection, PrintWriter notes) {
    Configuration configuration = connection.configuration(notes);
    TransactionManagerClientConfig config;
    try {
      config = ClientProperties.read(configuration::getTrimmed).build();
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          String.valueOf(e.getMessage()), "the settings are described in docs/client.md", e);
    }
    return new ManagerAccess(
        config, ZooKeeperAddressSource.connect(quorum(configuration), parent(configuration)));
  }

  TransactionManagerClientConfig config() {
    return config;
  }

  ZooKeeperAddressSource source() {
    return source;
  }

  /** The record; nothing if no transaction manager has ever run. */
  Optional<ManagerRecord> record() throws IOException, InterruptedException {
    return await(source.record());
  }

  /** Those that are alive. */
  List<Member> members() throws IOException, InterruptedException {
    return await(source.members());
  }

  /**
   * The primary.
   *
   * @throws CommandException if there is none
   */
  PrimaryAddress primary() throws IOException, InterruptedException {
    return await(source.find())
        .orElseThrow(
            () ->
                new CommandException(
                    "there is no primary transaction manager at the moment, " + source,
                    "start one ('lampone tm run'), or look which are there ('lampone tm status')"));
  }

  /**
   * An address as a person writes it.
   *
   * @throws CommandException if it is none
   */
  static InetSocketAddress address(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 1 || !text.substring(colon + 1).matches("[0-9]{1,5}")) {
      throw new CommandException("not an address: '" + text + "'", "write HOST:PORT");
    }
    int port = Integer.parseInt(text.substring(colon + 1));
    if (port < 1 || port > 65_535) {
      throw new CommandException("no such port: " + port, "write HOST:PORT");
    }
    return InetSocketAddress.createUnresolved(text.substring(0, colon), port);
  }

  /** Looks the name up. */
  static InetSocketAddress resolved(InetSocketAddress address) {
    return address.isUnresolved()
        ? new InetSocketAddress(address.getHostString(), address.getPort())
        : address;
  }

  @Override
  public void close() {
    source.close();
  }

  private <T> T await(CompletableFuture<T> answer) throws IOException, InterruptedException {
    try {
      return answer.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException | ExecutionException e) {
      throw new CommandException("ZooKeeper does not answer, " + source, WHERE, e);
    }
  }

  /** The znode of the transaction managers. */
  static String parent(Configuration configuration) {
    return configuration.getTrimmed(ZOOKEEPER_PARENT, ManagerRecord.DEFAULT_PARENT);
  }

  /** HBase's quorum as {@code host:port}, separated by commas. */
  static String quorum(Configuration configuration) {
    int port =
        configuration.getInt(
            HConstants.ZOOKEEPER_CLIENT_PORT, HConstants.DEFAULT_ZOOKEEPER_CLIENT_PORT);
    String hosts = configuration.getTrimmed(HConstants.ZOOKEEPER_QUORUM, HConstants.LOCALHOST);
    return Arrays.stream(hosts.split(",", -1))
        .map(String::strip)
        .filter(host -> !host.isEmpty())
        .map(host -> host.matches(".*:\\d+") ? host : host + ":" + port)
        .collect(Collectors.joining(","));
  }
}
