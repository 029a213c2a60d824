package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.FOLLOWER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.request.RegionRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests of followers in other tables than the one that is disabled, which has their leaders. */
@ExtendWith(SharedCluster.class)
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DisableElsewhereIT {

  private final LamponeClient client;
  private final EmbeddedLampone cluster;

  DisableElsewhereIT(LamponeClient client, EmbeddedLampone cluster) {
    this.client = client;
    this.cluster = cluster;
  }

  @Test
  void aFollowerBelowALaterVersion_isHealed_forTheSnapshotThatSeesIt() throws Exception {
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration())) {
      TwoRows leaders = createLeaders("disable-a-leader");
      TwoRows followers = TwoRows.create(client, connection, "disable-b-followers");
      followers.write(client, "before");
      Transaction old;
      Faults.Active fault = Faults.add(refusingHousekeeping());
      try {
        commitUnlisted(leaders, followers);
        old = client.readOnly();
        followers.write(client, "later");
        StoredCells stored = new StoredCells(cluster.hbase(), followers.table());
        assertThat(stored.values(FOLLOWER)).containsExactly("later", "lost", "before");

        client
            .admin()
            .reportingTo((step, done, total) -> fault.close())
            .disableTable(leaders.table());
      } finally {
        fault.close();
      }
      assertThat(followers.get(old, FOLLOWER)).isEqualTo("lost");
      old.close();
      assertThat(followers.read(client)).isEqualTo("later later");
    }
  }

  @Test
  void aTableWhoseSettingsCannotBeReadIsNotLeftOut() throws Exception {
    TableName spoilt = TableName.valueOf("disable-c-spoilt");
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = connection.getAdmin()) {
      TwoRows leaders = createLeaders("disable-c-leader");
      TwoRows followers = TwoRows.create(client, connection, "disable-d-followers");
      try (Faults.Active fault = Faults.add(refusingHousekeeping())) {
        commitUnlisted(leaders, followers);
        admin.createTable(
            TableDescriptorBuilder.newBuilder(spoilt)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(TwoRows.FAMILY))
                .setValue(TableSettings.PHASE_KEY, "ENABLED")
                .build());
        assertThatThrownBy(() -> client.admin().disableTable(leaders.table()))
            .hasMessageStartingWith("LP-401")
            .hasMessageContaining("mend or drop that one first, table=" + spoilt);
      } finally {
        admin.disableTable(spoilt);
        admin.deleteTable(spoilt);
      }
      client.admin().disableTable(leaders.table());
      assertThat(admin.getDescriptor(leaders.table()).getCoprocessorDescriptors()).isEmpty();
      assertThat(followers.read(client)).isEqualTo("lost lost");
    }
  }

  /** Found by the fault lab, which makes all tables of a round plain at once. */
  @Test
  void aTableThatGoesMeanwhile_isLeftOut() throws Exception {
    TwoRows leaders = createLeaders("disable-e-leader");
    TableName plain = createLeaders("zz-disable-plain").table();
    TableName dropped = createLeaders("zz-disable-dropped").table();
    List<String> searched = new ArrayList<>();
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = connection.getAdmin()) {
      TwoRows followers = TwoRows.create(client, connection, "disable-f-followers");
      Faults.Active fault = Faults.add(refusingHousekeeping());
      try {
        commitUnlisted(leaders, followers);
        client
            .admin()
            .reportingTo(
                (step, done, total) -> {
                  fault.close();
                  if (step.equals("Resolving in other tables") && searched.isEmpty()) {
                    searched.add(step);
                    remove(admin, plain, dropped);
                  }
                })
            .disableTable(leaders.table());
      } finally {
        fault.close();
      }
      assertThat(searched).hasSize(1);
      assertThat(TableSettings.of(admin.getDescriptor(leaders.table()))).isEmpty();
      assertThat(followers.read(client)).isEqualTo("lost lost");
    }
  }

  private void remove(Admin admin, TableName plain, TableName dropped) {
    try {
      client.admin().disableTable(plain);
      admin.disableTable(dropped);
      admin.deleteTable(dropped);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Commits a transaction whose leader does not list all followers, and which heals none. */
  private void commitUnlisted(TwoRows leaders, TwoRows followers) throws IOException {
    Configuration shortList = new Configuration(cluster.configuration());
    shortList.set("lampone.client.recorded.followers", "1");
    try (LamponeClient dying = LamponeClient.connect(shortList);
        Transaction tx = dying.begin()) {
      leaders.putBoth(tx, "lost");
      followers.putBoth(tx, "lost");
      tx.commit();
    }
  }

  /** Creates a table whose requests no fault changes: it could not be disabled with one. */
  private TwoRows createLeaders(String name) throws IOException {
    TwoRows leaders = new TwoRows(TableName.valueOf(name));
    client
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(leaders.table())
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(TwoRows.FAMILY))
                .build(),
            ConflictLevel.ROW);
    return leaders;
  }

  private static Faults.Fault refusingHousekeeping() {
    return new Faults.Fault() {
      @Override
      public void before(RegionInfo region, RegionRequest request) throws IOException {
        if (Faults.isHousekeeping(request)) {
          throw Faults.refusal();
        }
      }
    };
  }
}
