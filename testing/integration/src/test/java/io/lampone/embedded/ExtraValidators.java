package io.lampone.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerServer;
import io.lampone.tm.core.validation.Sharding;
import io.lampone.tmclient.CommandAnswer;
import io.lampone.tmclient.CommandClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;

/** Validators of a test beside the primary of an embedded cluster; closing removes them. */
final class ExtraValidators implements AutoCloseable {

  private final EmbeddedLampone cluster;
  private final CommandClient commands =
      new CommandClient(TransactionManagerClientConfig.builder().build());
  private final List<TransactionManagerServer> servers = new ArrayList<>();

  ExtraValidators(EmbeddedLampone cluster) {
    this.cluster = cluster;
  }

  /** Starts validators {@code v0}, {@code v1}, ... and gives them their shares. */
  static ExtraValidators added(EmbeddedLampone cluster, int count) throws IOException {
    ExtraValidators validators = new ExtraValidators(cluster);
    for (int i = 0; i < count; i++) {
      validators.start("v" + i);
      validators.send("validator-add", "validator=v" + i);
    }
    return validators;
  }

  /** Starts a validator and waits until it is registered. */
  TransactionManagerServer start(String name) throws IOException {
    return start(name, 1 << 16);
  }

  TransactionManagerServer start(String name, int capacity) throws IOException {
    TransactionManagerServer server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .zookeeperQuorum(cluster.hbase().zooKeeperConnectString())
                .conflictTableCapacity(capacity)
                .sharding(new Sharding(name, true, Duration.ofSeconds(1)))
                .build(),
            new MetricRegistry());
    servers.add(server);
    server.whenListed().join();
    return server;
  }

  TransactionManagerServer server(int index) {
    return servers.get(index);
  }

  /** Sends a command to the primary, which must succeed. */
  String send(String name, String argument) {
    CommandAnswer answer = ask(name, argument);
    assertThat(answer.succeeded()).as(answer.text()).isTrue();
    return answer.text();
  }

  /** Sends a command to the primary. */
  CommandAnswer ask(String name, String argument) {
    String[] address = cluster.managerAddress().split(":", -1);
    return commands
        .ask(new InetSocketAddress(address[0], Integer.parseInt(address[1])), name, argument)
        .join();
  }

  /** Waits until the primary alone owns all buckets. */
  void awaitAllAtPrimary() {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> send("validators", "").contains("\"bucketsOfPrimary\":2520"));
  }

  @Override
  public void close() {
    servers.forEach(TransactionManagerServer::close);
    awaitAllAtPrimary();
    commands.close();
  }
}
