package io.lampone.tmclient.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.tm.Member;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
final class ZooKeeperAddressSourceTest {

  private static final String RECORD = "/lampone/tm";

  private TestingServer zookeeper;
  private CuratorFramework curator;
  private ZooKeeperAddressSource source;

  @BeforeEach
  void start() throws Exception {
    zookeeper = new TestingServer(true);
    curator = CuratorFrameworkFactory.newClient(zookeeper.getConnectString(), new RetryOneTime(50));
    curator.start();
    source = ZooKeeperAddressSource.connect(zookeeper.getConnectString(), "/lampone");
  }

  @AfterEach
  void stop() throws Exception {
    source.close();
    curator.close();
    zookeeper.close();
  }

  @Test
  void whereNobodyHasEverLedThereIsNoPrimary() throws Exception {
    assertThat(get(source.find())).isEmpty();
    assertThat(get(source.record())).isEmpty();
    assertThat(get(source.members())).isEmpty();
  }

  @Test
  void whatMayNotBeReadFailsWithTheCodeAsCause() throws Exception {
    put(1, "tm-a:1", 1, false);
    ACL noReading = new ACL(Perms.ALL & ~Perms.READ, Ids.ANYONE_ID_UNSAFE);
    curator.setACL().withACL(Collections.singletonList(noReading)).forPath(RECORD);
    assertThat(source.record())
        .failsWithin(20, TimeUnit.SECONDS)
        .withThrowableOfType(ExecutionException.class)
        .havingCause()
        .withMessage("ZooKeeper failed, path=/lampone/tm code=NOAUTH")
        .withCauseInstanceOf(KeeperException.NoAuthException.class);
  }

  @Test
  void theHolderIsThePrimaryUntilItHasReleasedTheLease() throws Exception {
    put(1, "tm-a:1", 1, false);
    assertThat(get(source.find()).map(PrimaryAddress::epoch)).contains(1L);
    assertThat(get(source.find()).map(found -> found.address().getHostString())).contains("tm-a");
    put(1, "tm-a:1", 2, true);
    assertThat(get(source.find())).isEmpty();
    put(2, "nonsense", 3, false);
    assertThat(get(source.find())).isEmpty();
  }

  /**
   * ZooKeeper's client tells every watch that the connection was lost, and that it is back, and
   * keeps it. Who sets another one each time has twice as many after each, all of them called by
   * each renewal.
   */
  @Test
  void aConnectionThatComesAndGoesLeavesOneWatch() throws Exception {
    AtomicInteger looks = new AtomicInteger();
    try (CuratorFramework counting = counting(looks);
        ZooKeeperAddressSource shared = ZooKeeperAddressSource.over(counting, "/lampone")) {
      put(1, "tm-a:1", 1, false);
      CompletableFuture<Void> moved = shared.whenMoved(get(shared.find()));
      settle(counting);
      for (int i = 0; i < 4; i++) {
        CompletableFuture<Void> back = new CompletableFuture<>();
        counting
            .getConnectionStateListenable()
            .addListener(
                (client, state) -> {
                  if (state == ConnectionState.RECONNECTED) {
                    back.complete(null);
                  }
                });
        zookeeper.restart();
        get(back);
      }
      curator.blockUntilConnected();
      settle(counting);
      int before = looks.get();
      put(1, "tm-a:1", 2, false);
      settle(counting);
      assertThat(looks.get() - before).isLessThanOrEqualTo(1);
      assertThat(moved).isNotDone();
      put(2, "tm-a:1", 3, false);
      get(moved);
    }
  }

  /** On the test's own connection, which can be waited for. */
  private ZooKeeperAddressSource shared() {
    return ZooKeeperAddressSource.over(curator, "/lampone");
  }

  /**
   * Waits for what was asked and told before, and for what that has led to: a look, and a read.
   * What ZooKeeper answers and tells comes in order, by one thread.
   */
  private static void settle(CuratorFramework connection) throws Exception {
    for (int i = 0; i < 4; i++) {
      CompletableFuture<Void> answered = new CompletableFuture<>();
      connection
          .checkExists()
          .inBackground((client, event) -> answered.complete(null))
          .forPath("/");
      get(answered);
    }
  }

  /** Counts the watches that are set on the record. */
  private CuratorFramework counting(AtomicInteger looks) {
    CuratorFramework counting =
        CuratorFrameworkFactory.builder()
            .connectString(zookeeper.getConnectString())
            .retryPolicy(new RetryOneTime(50))
            .zookeeperFactory(
                (hosts, timeout, watcher, readOnly) ->
                    new ZooKeeper(hosts, timeout, watcher, readOnly) {
                      @Override
                      public void exists(
                          String path, Watcher watch, AsyncCallback.StatCallback call, Object o) {
                        if (watch != null && path.equals(RECORD)) {
                          looks.incrementAndGet();
                        }
                        super.exists(path, watch, call, o);
                      }
                    })
            .build();
    counting.start();
    return counting;
  }

  @Test
  void renewalsAreNoNewsAndAnotherEpochIs() throws Exception {
    put(1, "tm-a:1", 1, false);
    CompletableFuture<Void> moved = shared().whenMoved(get(source.find()));
    for (int i = 2; i < 10; i++) {
      settle(curator);
      put(1, "tm-a:1", i, false);
    }
    settle(curator);
    assertThat(moved).isNotDone();
    put(2, "tm-a:1", 10, false);
    get(moved);
  }

  @Test
  void whatHasChangedAlreadyIsNewsAtOnce() throws Exception {
    put(1, "tm-a:1", 1, false);
    Optional<PrimaryAddress> old = get(source.find());
    put(2, "tm-b:1", 2, false);
    get(source.whenMoved(old));
    get(source.whenMoved(Optional.empty()));
  }

  /** Otherwise each call would leave a watch behind. */
  @Test
  void aRecordThatCannotBeReadIsNoNewsUntilItIsReplaced() throws Exception {
    put(1, "tm-a:1", 1, false);
    Optional<PrimaryAddress> old = get(source.find());
    curator.setData().forPath(RECORD, "garbage".getBytes(StandardCharsets.UTF_8));
    CompletableFuture<Void> moved = shared().whenMoved(old);
    settle(curator);
    assertThat(moved).isNotDone();
    put(2, "tm-b:2", 1, false);
    get(moved);
  }

  @Test
  void theFirstPrimaryEverIsNews() throws Exception {
    CompletableFuture<Void> moved = source.whenMoved(Optional.empty());
    put(1, "tm-a:1", 1, false);
    get(moved);
  }

  @Test
  void aReleasedLeaseIsNoNewsUntilSomebodyTakesIt() throws Exception {
    put(1, "tm-a:1", 1, false);
    CompletableFuture<Void> moved = shared().whenMoved(get(source.find()));
    for (int i = 2; i < 4; i++) {
      settle(curator);
      put(1, "tm-a:1", i, true);
    }
    settle(curator);
    assertThat(moved).isNotDone();
    put(2, "tm-b:1", 4, false);
    get(moved);
  }

  @Test
  void membersAreListedAndWhatIsNoneIsPassedOver() throws Exception {
    Member one = new Member("tm-a:1/x", "tm-a:1", 1, "0.1");
    Member two = new Member("tm-b:1/y", "tm-b:1", 2, "0.1");
    for (Member member : new Member[] {two, one}) {
      curator
          .create()
          .creatingParentsIfNeeded()
          .forPath("/lampone/members/" + member.znode(), member.encode());
    }
    curator.create().forPath("/lampone/members/stray", "?".getBytes(StandardCharsets.UTF_8));
    assertThat(get(source.members())).containsExactly(one, two);
  }

  @Test
  void withoutZooKeeperTheQuestionFails() throws Exception {
    get(source.find());
    zookeeper.stop();
    assertThat(source.find()).failsWithin(20, TimeUnit.SECONDS);
    assertThat(source.members()).failsWithin(20, TimeUnit.SECONDS);
  }

  private void put(long epoch, String address, long sequence, boolean released) throws Exception {
    String text =
        "format=1\nepoch="
            + epoch
            + "\nholder=h\naddress="
            + address
            + "\nleaseSequence="
            + sequence
            + "\nleaseDurationMillis=2000\nreleased="
            + released
            + "\nbound=512\nfloor=256\nsafePoint=0\n";
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (curator.checkExists().forPath(RECORD) == null) {
      curator.create().creatingParentsIfNeeded().forPath(RECORD, bytes);
    } else {
      curator.setData().forPath(RECORD, bytes);
    }
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(60, TimeUnit.SECONDS);
  }
}
