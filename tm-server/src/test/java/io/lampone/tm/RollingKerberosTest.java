package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.connect.ClientKerberos;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.connect.KerberosLogin;
import io.lampone.tm.security.Authenticator.Mode;
import io.lampone.tm.security.KerberosSettings;
import io.lampone.tm.security.Phase;
import io.lampone.tm.security.SecuritySettings;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Kerberos is switched on, one process after the other, under transactions. */
@Timeout(180)
final class RollingKerberosTest {

  private static final String HOST = "127.0.0.1";
  private static final String SERVICE = "lampone/" + HOST;
  private static final int TICKET_SECONDS = 60;
  private static final int TRANSACTIONS = 100;

  @TempDir private Path directory;

  private final List<TransactionManagerServer> servers = new ArrayList<>();

  /** First the managers, in the permissive phase; then the applications; then it is required. */
  @Test
  void noTransactionFails() throws Exception {
    try (TestingServer zookeeper = new TestingServer();
        TestKdc kdc = new TestKdc(directory.resolve("kdc"), TICKET_SECONDS)) {
      String quorum = zookeeper.getConnectString();
      SecuritySettings required = required(kdc.keytab(SERVICE));
      ClientSecurity alice =
          ClientSecurity.NONE.withKerberos(
              new ClientKerberos("lampone", KerberosLogin.ofKeytab("alice", kdc.keytab("alice"))));
      TransactionManagerServer primary = start(quorum, SecuritySettings.OFF);
      primary.whenPrimary().get(60, SECONDS);
      try (TransactionManagerClient plain = connect(quorum, ClientSecurity.NONE);
          TransactionLoad before = new TransactionLoad(plain);
          TransactionManagerClient proved = connect(quorum, alice)) {
        before.await(TRANSACTIONS);
        primary = replace(primary, quorum, required.withPhases(Phase.PERMISSIVE, Phase.REQUIRED));
        before.await(TRANSACTIONS);
        try (TransactionLoad after = new TransactionLoad(proved)) {
          after.await(TRANSACTIONS);
          before.stop();
          replace(primary, quorum, required);
          after.await(TRANSACTIONS);
          requireAllDecided(after);
        }
        requireAllDecided(before);
        assertThatThrownBy(() -> plain.begin().get(60, SECONDS))
            .hasMessageContaining("lampone.client.manager.kerberos=true");
      }
    } finally {
      servers.forEach(TransactionManagerServer::kill);
    }
  }

  private static void requireAllDecided(TransactionLoad load) {
    assertThat(load.failures()).as(load.toString()).isEmpty();
    assertThat(load.refusals()).as(load.toString()).isZero();
  }

  private SecuritySettings required(Path keytab) throws Exception {
    Path principals = Files.createFile(directory.resolve("principals"));
    Files.writeString(principals, "alice client * -\nlampone administrator * -\n");
    Files.setPosixFilePermissions(principals, PosixFilePermissions.fromString("rw-------"));
    return new SecuritySettings(
            Mode.KERBEROS,
            Optional.of(principals),
            Optional.empty(),
            Optional.empty(),
            Optional.empty())
        .withKerberos(new KerberosSettings(SERVICE + "@" + TestKdc.REALM, keytab));
  }

  /** Hands over to a new manager with these settings. */
  private TransactionManagerServer replace(
      TransactionManagerServer old, String quorum, SecuritySettings settings) throws Exception {
    TransactionManagerServer next = start(quorum, settings);
    next.whenListed().get(60, SECONDS);
    HandOvers.handOver(old, Optional.empty());
    next.whenPrimary().get(60, SECONDS);
    old.close();
    return next;
  }

  private TransactionManagerServer start(String quorum, SecuritySettings security)
      throws Exception {
    TransactionManagerServer server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost(HOST)
                .bindPort(0)
                .zookeeperQuorum(quorum)
                .conflictTableCapacity(1 << 16)
                .decisionMemoryCapacity(1 << 16)
                .security(security)
                .build(),
            new MetricRegistry());
    servers.add(server);
    return server;
  }

  private static TransactionManagerClient connect(String quorum, ClientSecurity security)
      throws Exception {
    return TransactionManagerClient.connect(
        TransactionManagerClientConfig.builder().security(security).build(), quorum, "/lampone");
  }
}
