package io.lampone.tm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import io.lampone.tm.zookeeper.AclSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may change the znodes of the transaction managers (finding Z1), with a real ZooKeeper. */
final class ZooKeeperAclTest {

  private static final byte[] BYTES = {1};

  /** Znodes that are created when the first validator or token needs them. */
  private static final List<String> LATER = List.of("/lampone/validators", "/lampone/tokens");

  @TempDir Path folder;

  private final MetricRegistry metrics = new MetricRegistry();
  private TestingServer zookeeper;
  private ZooKeeper stranger;

  @BeforeEach
  void start() throws Exception {
    zookeeper = new TestingServer(true);
    CountDownLatch connected = new CountDownLatch(1);
    stranger =
        new ZooKeeper(
            zookeeper.getConnectString(),
            10_000,
            event -> {
              if (event.getState() == KeeperState.SyncConnected) {
                connected.countDown();
              }
            });
    assertThat(connected.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @AfterEach
  void stop() throws Exception {
    stranger.close();
    zookeeper.close();
  }

  @Test
  void aStrangerReadsAndChangesNothing() throws Exception {
    try (TransactionManagerServer server = server(digest("tm:0123456789abcdef"))) {
      server.whenPrimary().get(60, TimeUnit.SECONDS);
      server.whenListed().get(60, TimeUnit.SECONDS);
      awaitAcl(1);
      strangerChangesNothing();
      assertThat(stranger.getData("/lampone/tm", false, null)).isNotEmpty();
      List<String> members = stranger.getChildren("/lampone/members", false);
      assertThat(members).hasSize(1);
      refused(() -> stranger.delete("/lampone/members/" + members.get(0), -1));
    }
  }

  @Test
  void whatWasMadeOpenIsMended() throws Exception {
    try (TransactionManagerServer open = server(AclSettings.DEFAULT)) {
      open.whenPrimary().get(60, TimeUnit.SECONDS);
      open.whenListed().get(60, TimeUnit.SECONDS);
    }
    stranger.setData("/lampone/members", BYTES, -1);
    for (String path : LATER) {
      stranger.create(path, BYTES, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }
    try (TransactionManagerServer server = server(digest("tm:0123456789abcdef"))) {
      server.whenPrimary().get(60, TimeUnit.SECONDS);
      awaitAcl(1);
      strangerChangesNothing();
      LATER.forEach(this::refused);
    }
  }

  @Test
  void aTransactionManagerWithAnotherPasswordSaysThatItCannot() throws Exception {
    try (TransactionManagerServer first = server(digest("tm:0123456789abcdef"))) {
      first.whenPrimary().get(60, TimeUnit.SECONDS);
      awaitAcl(1);
    }
    MetricRegistry others = new MetricRegistry();
    try (TransactionManagerServer second =
        TransactionManagerServer.start(config(digest("tm:another0password")), others)) {
      assertThat(gauge(others)).isZero();
      assertThat(second.isPrimary()).isFalse();
      strangerChangesNothing();
    }
  }

  @Test
  void aServerThatIsReachedFromElsewhereIsNotStartedWithAnOpenRecord() throws Exception {
    TransactionManagerConfig config =
        TransactionManagerConfig.builder()
            .bindHost("0.0.0.0")
            .bindPort(0)
            .zookeeperQuorum(zookeeper.getConnectString())
            .exposure(new Exposure(true, AclSettings.DEFAULT))
            .build();
    assertThatThrownBy(() -> TransactionManagerServer.start(config, metrics))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("lampone.tm.zookeeper.acl=open");
  }

  @Test
  void aDigestFileThatOthersReadOrWithoutAPasswordIsRefused() throws Exception {
    Path file = folder.resolve("digest");
    for (String bad :
        List.of("", "tm", "tm:short", ":0123456789abcdef", "tm:0123456789abcdef\nx")) {
      AclSettings settings = digest(bad);
      assertThatThrownBy(() -> server(settings))
          .isInstanceOf(IllegalArgumentException.class)
          .message()
          .contains("user:password")
          .doesNotContain("0123456789abcdef");
    }
    AclSettings settings = digest("tm:0123456789abcdef");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    assertThatThrownBy(() -> server(settings))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("chmod");
  }

  private void strangerChangesNothing() {
    List.of("/lampone", "/lampone/tm", "/lampone/members").forEach(this::refused);
    refused(() -> stranger.delete("/lampone/tm", -1));
  }

  private void refused(String path) {
    refused(() -> stranger.setData(path, BYTES, -1));
    refused(() -> stranger.setACL(path, Ids.OPEN_ACL_UNSAFE, -1));
    refused(() -> stranger.create(path + "/x", BYTES, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
  }

  private static void refused(ThrowingCallable change) {
    assertThatThrownBy(change).isInstanceOf(KeeperException.NoAuthException.class);
  }

  /** What could not be mended at first is tried again every few seconds. */
  private void awaitAcl(int wanted) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (gauge(metrics) != wanted) {
      assertThat(System.nanoTime() - deadline).as("waited in vain").isNegative();
      Thread.sleep(20);
    }
  }

  private static int gauge(MetricRegistry registry) {
    return (Integer) ((Gauge<?>) registry.getGauges().get("lampone.tm.record.acl")).getValue();
  }

  private AclSettings digest(String text) throws Exception {
    Path file = folder.resolve("digest");
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return new AclSettings(AclSettings.Mode.DIGEST, Optional.of(file), List.of());
  }

  private TransactionManagerServer server(AclSettings acl) throws Exception {
    metrics.removeMatching((name, metric) -> true);
    return TransactionManagerServer.start(config(acl), metrics);
  }

  private TransactionManagerConfig config(AclSettings acl) {
    return TransactionManagerConfig.builder()
        .bindHost("127.0.0.1")
        .bindPort(0)
        .conflictTableCapacity(1 << 10)
        .decisionMemoryCapacity(1 << 10)
        .zookeeperQuorum(zookeeper.getConnectString())
        .exposure(new Exposure(false, acl))
        .build();
  }
}
