package io.lampone.tm.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.tm.core.RecordStore;
import io.lampone.tm.core.RecordStoreContract;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class CuratorRecordStoreTest extends RecordStoreContract {

  private TestingServer zookeeper;
  private CuratorFramework curator;

  @BeforeEach
  void start() throws Exception {
    zookeeper = new TestingServer(true);
    curator =
        CuratorFrameworkFactory.newClient(
            zookeeper.getConnectString(), 5_000, 500, new RetryOneTime(10));
    curator.start();
  }

  @AfterEach
  void stop() throws Exception {
    curator.close();
    zookeeper.close();
  }

  @Override
  protected RecordStore store() {
    return new CuratorRecordStore(curator, "/deep/parent");
  }

  @Test
  void aRecordThatCannotBeUnderstoodIsNotTakenForAbsent() throws Exception {
    await(store().create(record(1)));
    curator.setData().forPath("/deep/parent/tm", "format=99\n".getBytes(StandardCharsets.UTF_8));
    assertThat(await(store().read())).isEqualTo(new RecordStore.Reading.OtherFormat());
  }

  @Test
  void garbageHasAVersionSoThatItCanBeOverwritten() throws Exception {
    await(store().create(record(1)));
    for (String garbage : new String[] {"", "x", "format=1\nepoch=x\n"}) {
      int version =
          curator
              .setData()
              .forPath("/deep/parent/tm", garbage.getBytes(StandardCharsets.UTF_8))
              .getVersion();
      assertThat(await(store().read())).isEqualTo(new RecordStore.Reading.Unreadable(version));
    }
    assertThat(await(store().compareAndSet(3, record(2))))
        .isEqualTo(new RecordStore.Swap.Applied(4));
  }

  @Test
  void withoutZooKeeperEveryOperationFailsInsteadOfHanging() throws Exception {
    await(store().create(record(1)));
    zookeeper.stop();
    assertThatThrownBy(() -> await(store().read())).isInstanceOf(ExecutionException.class);
    assertThatThrownBy(() -> await(store().compareAndSet(0, record(2))))
        .isInstanceOf(ExecutionException.class);
  }

  @Test
  void aVersionThatMeansAnyToZooKeeperIsRefused() {
    assertThatThrownBy(() -> store().compareAndSet(-1, record(1)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
