package io.lampone.embedded;

import static io.lampone.embedded.RunningCluster.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.request.RegionRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.security.access.AccessControlClient;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A table with commit entries made plain by a user who may not see all of the other tables. */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HiddenTablesIT {

  private static final byte[] F = bytes("f");
  private static final byte[] G = bytes("g");
  private static final byte[] Q = bytes("q");
  private static final List<String> ROWS = List.of("a", "b");

  @TempDir private static Path folder;

  private static EmbeddedLampone cluster;
  private static LamponeClient owner;
  private static Connection hbase;

  @BeforeAll
  static void start() throws Exception {
    cluster = EmbeddedLampone.start(RunningCluster.authorizing(folder.resolve("c")).build());
    owner = LamponeClient.connect(cluster.configuration());
    hbase = ConnectionFactory.createConnection(cluster.configuration());
  }

  @AfterAll
  static void stop() throws IOException {
    hbase.close();
    owner.close();
    cluster.close();
  }

  @Test
  void followersInATableThatIsHiddenAreNotLeftOut() throws Throwable {
    TableName leaders = create("a1-leaders", "altering");
    TableName followers = create("a2-followers");

    refuses("altering", leaders, followers, "LP-401", "CREATE or ADMIN", "[a2-followers]");
  }

  @Test
  void followersInAFamilyThatMayNotBeReadAreNotLeftOut() throws Throwable {
    try (Admin admin = hbase.getAdmin()) {
      for (TableName other : admin.listTableNames()) {
        grant("reading", other, null, Action.READ, Action.CREATE);
      }
    }
    TableName leaders = create("b1-leaders", "reading");
    TableName followers = create("b2-followers");
    grant("reading", followers, F, Action.READ, Action.WRITE);
    grant("reading", followers, null, Action.CREATE);

    refuses("reading", leaders, followers, "LP-401", "AccessDeniedException");
  }

  private void refuses(String user, TableName leaders, TableName followers, String... words)
      throws Exception {
    try (Faults.Active fault = Faults.add(refusingHousekeeping());
        LamponeClient client = clientOf(user)) {
      commitUnlisted(leaders, followers);
      assertThatThrownBy(() -> client.admin().disableTable(leaders))
          .satisfies(
              e -> {
                for (String word : words) {
                  assertThat(e).hasStackTraceContaining(word);
                }
              });
    }
    owner.admin().disableTable(leaders);
    try (Transaction tx = owner.readOnly();
        Table table = tx.table(followers)) {
      for (String row : ROWS) {
        assertThat(table.get(new Get(bytes(row))).size()).as(row).isEqualTo(1);
      }
    }
  }

  /** Commits a transaction whose leader does not list all followers, and which heals none. */
  private static void commitUnlisted(TableName leaders, TableName followers) throws IOException {
    Configuration shortList = new Configuration(cluster.configuration());
    shortList.set("lampone.client.recorded.followers", "1");
    try (LamponeClient dying = LamponeClient.connect(shortList);
        Transaction tx = dying.begin()) {
      for (String row : ROWS) {
        tx.table(leaders).put(new Put(bytes(row)).addColumn(F, Q, Q));
        tx.table(followers).put(new Put(bytes(row)).addColumn(G, Q, Q));
      }
      tx.commit();
    }
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

  /** Creates a table, which a user may read, write and alter. */
  private static TableName create(String name, String... users) throws Throwable {
    TableName table = TableName.valueOf(name);
    owner
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(table)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(G))
                .build(),
            ConflictLevel.ROW);
    if (users.length == 0) {
      FaultyObserver.install(hbase, table);
    }
    for (String user : users) {
      grant(user, table, null, Action.READ, Action.WRITE, Action.CREATE, Action.ADMIN);
    }
    return table;
  }

  private static void grant(String user, TableName table, byte[] family, Action... actions)
      throws Throwable {
    AccessControlClient.grant(hbase, table, user, family, null, actions);
    try (Connection connection = as(user, ConnectionFactory::createConnection);
        Admin admin = connection.getAdmin()) {
      for (Action action : actions) {
        await()
            .atMost(Duration.ofMinutes(1))
            .until(
                () ->
                    admin
                        .hasUserPermissions(
                            List.of(
                                Permission.newBuilder(table)
                                    .withFamily(family)
                                    .withActions(action)
                                    .build()))
                        .get(0));
      }
    }
  }

  /** Work with the configuration of the cluster. */
  private interface Work<T> {
    T with(Configuration configuration) throws IOException;
  }

  private static <T> T as(String user, Work<T> work) throws Exception {
    return UserGroupInformation.createRemoteUser(user)
        .doAs((PrivilegedExceptionAction<T>) () -> work.with(cluster.configuration()));
  }

  private static LamponeClient clientOf(String user) throws Exception {
    return as(user, LamponeClient::connect);
  }
}
