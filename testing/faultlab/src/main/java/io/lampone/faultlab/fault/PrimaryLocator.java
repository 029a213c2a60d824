package io.lampone.faultlab.fault;

import io.lampone.cluster.ClusterMember;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.tmclient.ClientProperties;
import io.lampone.tmclient.CommandAnswer;
import io.lampone.tmclient.CommandClient;
import io.lampone.tmclient.discovery.ZooKeeperAddressSource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;

/** Locator of the primary among the transaction managers, which can also send it commands. */
final class PrimaryLocator implements AutoCloseable {

  private static final long TIMEOUT_SECONDS = 10;

  private final ZooKeeperAddressSource source;
  private final CommandClient commands;

  /**
   * @param quorum ZooKeeper's servers
   * @param site hbase-site.xml of the cluster
   */
  PrimaryLocator(String quorum, Path site) {
    Configuration configuration = new Configuration(false);
    configuration.addResource(new org.apache.hadoop.fs.Path(site.toUri()));
    this.source = ZooKeeperAddressSource.connect(quorum, ManagerRecord.DEFAULT_PARENT);
    this.commands = new CommandClient(ClientProperties.read(configuration::getTrimmed).build());
  }

  /** Returns the name of the leading member, if known now. */
  Optional<String> name(Machines machines) throws InterruptedException {
    try {
      InetSocketAddress address = address();
      for (ClusterMember member : machines.members()) {
        if (member.port() == address.getPort() && member.host().equals(address.getHostString())) {
          return Optional.of(member.name());
        }
      }
    } catch (IOException e) {
      return Optional.empty();
    }
    return Optional.empty();
  }

  /**
   * Has it hand over.
   *
   * @throws IOException if it refuses, or there is none
   */
  void handOver() throws IOException, InterruptedException {
    ask("handover", "");
  }

  /**
   * Sends it a command, and returns the answer.
   *
   * @throws IOException if it refuses, or there is none
   */
  String ask(String command, String argument) throws IOException, InterruptedException {
    try {
      CommandAnswer answer =
          commands.ask(address(), command, argument).get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      if (!answer.succeeded()) {
        throw new IOException("refused: " + answer.text());
      }
      return answer.text();
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("no answer to " + command, e);
    }
  }

  private InetSocketAddress address() throws IOException, InterruptedException {
    try {
      return source
          .find()
          .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
          .orElseThrow(() -> new IOException("no primary at the moment"))
          .address();
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("ZooKeeper does not say who is the primary", e);
    }
  }

  @Override
  public void close() {
    source.close();
    commands.close();
  }
}
