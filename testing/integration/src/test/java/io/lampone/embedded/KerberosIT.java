package io.lampone.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.MetricRegistry;
import io.lampone.client.ClientMetrics;
import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.Transaction;
import io.lampone.client.fastpath.FastPathTable;
import io.lampone.client.token.TokenUtil;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.connect.SecurityFiles;
import io.lampone.protocol.connect.SecurityProperties;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerServer;
import io.lampone.tm.core.Retention;
import io.lampone.tm.security.Authenticator.Mode;
import io.lampone.tm.security.KerberosSettings;
import io.lampone.tm.security.SecuritySettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.security.access.AccessControlClient;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.apache.hadoop.hbase.security.token.ClientTokenUtil;
import org.apache.hadoop.hbase.security.token.TokenProvider;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.SaslRpcServer.AuthMethod;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster under one KDC: ZooKeeper by SASL, HBase with AccessController, a transaction manager by
 * GSSAPI, region servers and applications as its clients. Tickets of applications end after
 * seconds.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("own-jvm")
class KerberosIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration RETENTION = Duration.ofSeconds(2);
  private static final int TICKET_SECONDS = 15;
  private static final TableName TABLE = TableName.valueOf("secured");
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final String SERVICE = "lampone/" + SecuredRealm.HOST;

  /** Short, so that connections of clients and region servers end in the midst of their work. */
  private static final Duration CONNECTION_LIFETIME = Duration.ofSeconds(2);

  @TempDir private static Path folder;

  private final MetricRegistry metrics = new MetricRegistry();
  private Path clusterKey;
  private SecuredRealm realm;
  private EmbeddedHBase hbase;
  private TransactionManagerServer manager;
  private LamponeClient owner;
  private UserGroupInformation alice;
  private UserGroupInformation stranger;

  @BeforeAll
  void start() throws Throwable {
    realm = new SecuredRealm(folder.resolve("kdc"));
    EmbeddedHBaseConfig.Builder config =
        EmbeddedHBaseConfig.builder(folder.resolve("data"))
            .setting("lampone.healer.period", "200ms")
            .setting("lampone.healer.delay", "500ms");
    realm.settings().forEach(config::setting);
    config.setting(
        "hbase.coprocessor.region.classes",
        AccessController.class.getName() + "," + TokenProvider.class.getName());
    clusterKey = folder.resolve("cluster.key");
    SecurityFiles.createClusterKey(clusterKey);
    config.setting("lampone.region.cluster.key.file", clusterKey.toString());
    hbase = EmbeddedHBase.start(config.build());
    manager = startManager();
    // For these logins only: ZooKeeper's would renew theirs all the time.
    realm.ticketsFor(TICKET_SECONDS);
    alice = user("alice");
    stranger = user("stranger");
    realm.ticketsFor(SecuredRealm.LONG_SECONDS);
    owner = LamponeClient.connect(hbase.configuration());
    owner
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(TABLE)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build(),
            ConflictLevel.ROW,
            Bytes.toBytes("m"));
    try (Connection connection = ConnectionFactory.createConnection(hbase.configuration())) {
      AccessControlClient.grant(
          connection, TABLE, "alice", FAMILY, null, Action.READ, Action.WRITE);
    }
    as(
        alice,
        client -> {
          await()
              .atMost(PATIENCE)
              .ignoreExceptionsMatching(e -> e.toString().contains("AccessDeniedException"))
              .untilAsserted(
                  () -> assertThat(client.fastPath().table(TABLE).get(get("a"))).isNotNull());
          await()
              .atMost(PATIENCE)
              .ignoreExceptionsMatching(e -> e.toString().contains("AccessDeniedException"))
              .untilAsserted(
                  () -> assertThat(client.fastPath().table(TABLE).get(get("z"))).isNotNull());
        });
  }

  @AfterAll
  void stop() throws Exception {
    if (owner != null) {
      owner.close();
    }
    manager.close();
    hbase.close();
    realm.close();
  }

  @Test
  void transactionsAndTheFastPathOfAnApplicationWithATicket() throws Exception {
    as(
        alice,
        client -> {
          client.run(tx -> putBoth(tx, 1));
          try (Transaction tx = client.readOnly()) {
            assertThat(value(tx, "a")).isEqualTo(1);
            assertThat(value(tx, "z")).isEqualTo(1);
          }
          FastPathTable fast = client.fastPath().table(TABLE);
          fast.put(put("fast", 0)); // waits for the region server to get its first ticks
          ClientMetrics before = client.metrics();
          for (int i = 1; i <= 20; i++) {
            fast.put(put("fast", i));
            assertThat(Bytes.toInt(fast.get(get("fast")).value())).isEqualTo(i);
          }
          assertThat(client.metrics().managerRequests()).isEqualTo(before.managerRequests());
        });
  }

  /** The healer queries the transaction manager with the region server's own ticket. */
  @Test
  void theHealerEndsTheTransactionOfAnApplicationThatHasDied() throws Exception {
    long[] start = new long[1];
    as(
        alice,
        client -> {
          client.run(tx -> putBoth(tx, 7));
          Configuration eager = hbase.configuration();
          eager.set("lampone.client.buffer.bytes", "0");
          eager.set("lampone.client.close.timeout", "0");
          LamponeClient dying = LamponeClient.connect(eager);
          Transaction tx = dying.begin();
          start[0] = tx.startTimestamp();
          putBoth(tx, 8);
          assertThat(new StoredCells(hbase, TABLE).states(start[0]))
              .contains("a=PENDING", "z=PENDING");
          dying.close();
        });
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(new StoredCells(hbase, TABLE).states(start[0]))
                    .noneMatch(state -> state.endsWith("=PENDING")));
  }

  @Test
  void ticketsAreRenewedUnderLoadAndConnectionsOutliveThem() throws Exception {
    as(
        alice,
        client -> {
          long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TICKET_SECONDS + 10);
          do {
            client.run(tx -> putBoth(tx, 5));
            try (LamponeClient fresh = LamponeClient.connect(hbase.configuration())) {
              fresh.run(tx -> putBoth(tx, 6));
            }
          } while (System.nanoTime() < end);
          // Both after the first ticket's end, the first one over connections made before.
          client.run(tx -> putBoth(tx, 7));
          try (LamponeClient fresh = LamponeClient.connect(hbase.configuration())) {
            fresh.run(tx -> putBoth(tx, 8));
          }
        });
  }

  @Test
  void aPrincipalThatIsNotListedAndAnApplicationWithoutATicketAreToldWhatToDo() throws Exception {
    as(
        stranger,
        client ->
            assertThatThrownBy(() -> client.run(tx -> putBoth(tx, 1)))
                .isInstanceOf(LamponeException.class)
                .hasMessageContaining("LP-303")
                .hasMessageContaining("does not name the holder of this ticket"));
    Configuration open = hbase.configuration();
    open.set(SecurityProperties.KERBEROS.name(), "false");
    try (LamponeClient client = LamponeClient.connect(open)) {
      assertThatThrownBy(() -> client.run(tx -> putBoth(tx, 1)))
          .hasMessageContaining("LP-303")
          .hasMessageContaining("lampone.client.manager.kerberos=true");
    }
  }

  @Test
  void theRecordInZooKeeperIsChangedByAuthenticatedManagersOnly() throws Exception {
    try (CuratorFramework curator =
        CuratorFrameworkFactory.newClient(hbase.zooKeeperConnectString(), new RetryOneTime(100))) {
      curator.start();
      List<ACL> acl = curator.getACL().forPath("/lampone/tm");
      assertThat(acl)
          .anySatisfy(entry -> assertThat(entry.getId().getScheme()).isEqualTo("sasl"))
          .allSatisfy(
              entry ->
                  assertThat(entry.getId().getScheme().equals("sasl") || entry.getPerms() == 1)
                      .isTrue());
    }
  }

  /** A task of a job: HBase's token and the transaction manager's, and no other credentials. */
  @Test
  void aTaskWithTokensAndNoTicketRunsTransactionsUntilItsTokenIsCancelled() throws Exception {
    Credentials credentials = new Credentials();
    Configuration configuration = hbase.configuration();
    alice.doAs(
        (PrivilegedExceptionAction<Void>)
            () -> {
              try (Connection connection = ConnectionFactory.createConnection(configuration)) {
                Token<?> ofHBase = ClientTokenUtil.obtainToken(connection);
                credentials.addToken(ofHBase.getService(), ofHBase);
              }
              TokenUtil.obtainToken(configuration, "hbase", credentials);
              return null;
            });
    UserGroupInformation task = UserGroupInformation.createRemoteUser("alice", AuthMethod.TOKEN);
    task.addCredentials(credentials);
    as(
        task,
        client -> {
          client.run(tx -> putBoth(tx, 9));
          try (Transaction tx = client.readOnly()) {
            assertThat(value(tx, "a")).isEqualTo(9);
          }
          FastPathTable fast = client.fastPath().table(TABLE);
          fast.put(put("fast", 9));
          assertThat(Bytes.toInt(fast.get(get("fast")).value())).isEqualTo(9);
        });
    // As YARN's resource manager does, by Hadoop's service files and its own ticket.
    Token<?> token =
        credentials.getAllTokens().stream()
            .filter(each -> each.getKind().toString().equals("LAMPONE_TM"))
            .findAny()
            .orElseThrow();
    assertThat(token.decodeIdentifier().getUser().getShortUserName()).isEqualTo("alice");
    assertThat(token.isManaged()).isTrue();
    assertThat(token.renew(configuration)).isGreaterThan(System.currentTimeMillis());
    token.cancel(configuration);
    as(
        task,
        client ->
            assertThatThrownBy(() -> client.run(tx -> putBoth(tx, 1)))
                .isInstanceOf(LamponeException.class)
                .hasMessageContaining("LP-303")
                .hasMessageContaining("the delegation token was cancelled"));
    // A new one for the same user counts from the next connection on.
    alice.doAs(
        (PrivilegedExceptionAction<Void>)
            () -> {
              TokenUtil.obtainToken(configuration, "", task);
              return null;
            });
    as(task, client -> client.run(tx -> putBoth(tx, 10)));
    assertThatThrownBy(
            () ->
                task.doAs(
                    (PrivilegedExceptionAction<Token<?>>)
                        () -> TokenUtil.obtainToken(configuration, "")))
        .hasMessageContaining("LP-303");
  }

  private interface Work {

    void with(LamponeClient client) throws Exception;
  }

  private void as(UserGroupInformation user, Work work) throws Exception {
    user.doAs(
        (PrivilegedExceptionAction<Void>)
            () -> {
              try (LamponeClient client = LamponeClient.connect(hbase.configuration())) {
                work.with(client);
              }
              return null;
            });
  }

  private UserGroupInformation user(String name) throws Exception {
    return UserGroupInformation.loginUserFromKeytabAndReturnUGI(
        SecuredRealm.principal(name), realm.keytab(name).toString());
  }

  private TransactionManagerServer startManager() throws Exception {
    Path principals = folder.resolve("principals");
    Files.writeString(
        principals, "hbase region * -\nalice client * -\nlampone administrator * -\n");
    Files.setPosixFilePermissions(principals, PosixFilePermissions.fromString("rw-------"));
    TransactionManagerServer server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost(SecuredRealm.HOST)
                .bindPort(0)
                .zookeeperQuorum(hbase.zooKeeperConnectString())
                .leaseDuration(Duration.ofSeconds(1))
                .leaseRenewInterval(Duration.ofMillis(200))
                .retention(new Retention(RETENTION, RETENTION))
                .security(
                    new SecuritySettings(
                            Mode.KERBEROS,
                            Optional.of(principals),
                            Optional.empty(),
                            Optional.of(clusterKey),
                            Optional.empty())
                        .withKerberos(
                            new KerberosSettings(
                                SecuredRealm.principal(SERVICE),
                                realm.keytab(SERVICE),
                                CONNECTION_LIFETIME)))
                .build(),
            metrics);
    server.whenPrimary().get(60, TimeUnit.SECONDS);
    return server;
  }

  private static Void putBoth(Transaction tx, int value) throws IOException {
    tx.table(TABLE).put(put("a", value));
    tx.table(TABLE).put(put("z", value));
    return null;
  }

  private static int value(Transaction tx, String row) throws IOException {
    return Bytes.toInt(tx.table(TABLE).get(get(row)).getValue(FAMILY, FAMILY));
  }

  private static Get get(String row) {
    return new Get(Bytes.toBytes(row)).addColumn(FAMILY, FAMILY);
  }

  private static Put put(String row, int value) {
    return new Put(Bytes.toBytes(row)).addColumn(FAMILY, FAMILY, Bytes.toBytes(value));
  }
}
