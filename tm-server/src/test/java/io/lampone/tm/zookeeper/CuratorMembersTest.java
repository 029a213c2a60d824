package io.lampone.tm.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.tm.Member;
import io.lampone.tm.core.Members;
import io.lampone.tm.core.MembersContract;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class CuratorMembersTest extends MembersContract {

  private TestingServer zookeeper;
  private CuratorFramework curator;

  @BeforeEach
  void start() throws Exception {
    zookeeper = new TestingServer(true);
    curator = connect();
  }

  @AfterEach
  void stop() throws Exception {
    curator.close();
    zookeeper.close();
  }

  @Override
  protected Members members() {
    return new CuratorMembers(curator, "/deep/parent", Member.ZNODE);
  }

  @Test
  void whoeverDiesIsNoMemberAnyMore() throws Exception {
    CuratorFramework other = connect();
    await(new CuratorMembers(other, "/deep/parent", Member.ZNODE).join(TWO));
    await(members().join(ONE));
    other.close();
    assertThat(await(members().list())).containsExactly(ONE);
  }

  @Test
  void allWhoAskWithinASecondShareOneRead() throws Exception {
    Members members = members();
    long began = System.nanoTime();
    var first = members.recent();
    var second = members.recent();
    if (System.nanoTime() - began < TimeUnit.SECONDS.toNanos(1)) {
      assertThat(second).isSameAs(first);
    }
    assertThat(await(first)).isEmpty();
    await(members.join(ONE));
    while (await(members.recent()).isEmpty()) {
      assertThat(System.nanoTime() - began).isLessThan(TimeUnit.SECONDS.toNanos(30));
    }
    assertThat(System.nanoTime() - began).isGreaterThan(TimeUnit.SECONDS.toNanos(1));
  }

  /** After a lost session the old znode lingers until ZooKeeper has noticed. */
  @Test
  void whatAnEarlierSessionLeftBehindIsReplaced() throws Exception {
    CuratorFramework earlier = connect();
    await(new CuratorMembers(earlier, "/deep/parent", Member.ZNODE).join(ONE));
    await(members().join(ONE));
    earlier.close();
    assertThat(await(members().list())).containsExactly(ONE);
  }

  @Test
  void zooKeeperDatesEachWriteAndTheOthersClocksAreToldByIt() throws Exception {
    long before = System.currentTimeMillis();
    assertThat(await(members().join(ONE)).orElseThrow())
        .isBetween(before, System.currentTimeMillis());
    assertThat(await(members().clocksOfOthers(TWO))).isEmpty(); // the other one does not tell
    await(members().join(ONE.at(System.currentTimeMillis() + 3_600_000)));
    assertThat(await(members().clocksOfOthers(TWO)).get(0)).isBetween(3_570_000L, 3_600_000L);
    assertThat(await(members().clocksOfOthers(ONE))).isEmpty();
    await(members().join(ONE.at(5)));
    assertThat(await(members().list())).containsExactly(ONE.at(5));
  }

  @Test
  void anEntryThatCannotBeUnderstoodIsLeftOut() throws Exception {
    await(members().join(ONE));
    curator
        .create()
        .forPath("/deep/parent/members/strange", "format=9\n".getBytes(StandardCharsets.UTF_8));
    assertThat(await(members().list())).containsExactly(ONE);
  }

  @Test
  void withoutZooKeeperEveryOperationFailsInsteadOfHanging() throws Exception {
    await(members().join(ONE));
    zookeeper.stop();
    assertThatThrownBy(() -> await(members().list())).isInstanceOf(ExecutionException.class);
    assertThatThrownBy(() -> await(members().join(TWO))).isInstanceOf(ExecutionException.class);
  }

  private CuratorFramework connect() {
    CuratorFramework connected =
        CuratorFrameworkFactory.newClient(
            zookeeper.getConnectString(), 5_000, 500, new RetryOneTime(10));
    connected.start();
    return connected;
  }
}
