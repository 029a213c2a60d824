package io.lampone.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.lampone.client.ClientMetrics;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.fastpath.FastPathTable;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.connect.SecurityProperties;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerServer;
import io.lampone.tm.security.Authenticator.Mode;
import io.lampone.tm.security.SecuritySettings;
import io.lampone.tm.security.TlsSettings;
import io.lampone.tm.security.TlsSettings.ClientCertificates;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Region servers under a transaction manager that demands a secret over TLS. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SecuredManagerIT {

  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final String PASSWORD = "changeit";
  private static final String REGIONS = "the-secret-of-the-region-servers";
  private static final String SHOP = "the-secret-of-the-shop";
  private static final int TRANSACTIONS = 20;

  @TempDir private Path directory;

  @Test
  void fastPathAndOneRegionCommitsNeedNoMoreOfItThanWithoutSecretAndTls() throws Exception {
    makeCertificate();
    Path principals =
        secretFile("principals", "regions client * " + REGIONS + "\nshop client * " + SHOP + "\n");
    // Wrong at first: region servers reload the file.
    Path regions = secretFile("regions", "this-is-not-the-right-one\n");
    EmbeddedHBaseConfig config =
        EmbeddedHBaseConfig.builder(directory.resolve("data"))
            .regionServers(1)
            .setting(SecurityProperties.PRINCIPAL.name(), "regions")
            .setting(SecurityProperties.SECRET_FILE.name(), regions.toString())
            .setting(SecurityProperties.TLS.name(), "true")
            .setting(SecurityProperties.TLS_AUTHORITY_FILE.name(), certificate().toString())
            .build();
    MetricRegistry metrics = new MetricRegistry();
    try (EmbeddedHBase hbase = EmbeddedHBase.start(config);
        TransactionManagerServer manager = startManager(hbase, principals, metrics)) {
      Configuration shop = hbase.configuration();
      shop.set(SecurityProperties.PRINCIPAL.name(), "shop");
      shop.set(SecurityProperties.SECRET_FILE.name(), secretFile("shop", SHOP).toString());
      try (LamponeClient client = LamponeClient.connect(shop)) {
        TableName table = createTable(client);
        while (metrics.meter("lampone.tm.handshakes.rejected.credential").getCount() == 0) {
          Thread.onSpinWait();
        }
        Files.writeString(regions, REGIONS + "\n");
        FastPathTable fast = client.fastPath().table(table);
        fast.put(put("warm", 0)); // waits for the region server to get its first ticks
        ClientMetrics before = client.metrics();
        long decisions = decisions(metrics);
        for (int i = 0; i < TRANSACTIONS; i++) {
          fast.put(put("fast", i));
          assertThat(value(fast.get(new Get(Bytes.toBytes("fast"))).value())).isEqualTo(i);
        }
        assertThat(client.metrics().managerRequests()).isEqualTo(before.managerRequests());
        for (int i = 0; i < TRANSACTIONS; i++) {
          try (Transaction tx = client.begin()) {
            tx.table(table).put(put("one", i));
            tx.table(table).put(put("two", i));
            tx.commit();
          }
        }
        // One begin for each, and none for the commits.
        assertThat(client.metrics().managerRequests() - before.managerRequests())
            .isEqualTo(TRANSACTIONS);
        assertThat(decisions(metrics)).isEqualTo(decisions);
      }
    }
  }

  private static TransactionManagerServer startManager(
      EmbeddedHBase hbase, Path principals, MetricRegistry metrics) throws Exception {
    Path folder = principals.getParent();
    TransactionManagerServer manager =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .advertisedHost("127.0.0.1")
                .zookeeperQuorum(hbase.zooKeeperConnectString())
                .security(
                    new SecuritySettings(
                        Mode.SECRET,
                        Optional.of(principals),
                        Optional.of(
                            new TlsSettings(
                                folder.resolve("manager.crt"),
                                folder.resolve("manager.key"),
                                Optional.empty(),
                                Optional.empty(),
                                ClientCertificates.NONE)),
                        Optional.empty(),
                        Optional.empty()))
                .build(),
            metrics);
    manager.whenPrimary().get(1, TimeUnit.MINUTES);
    return manager;
  }

  private static TableName createTable(LamponeClient client) throws IOException {
    TableName table = TableName.valueOf("secured");
    client
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(table)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build(),
            ConflictLevel.ROW);
    return table;
  }

  /** Returns the number of validations and statuses at the transaction manager. */
  private static long decisions(MetricRegistry metrics) {
    return metrics.getMeters().entrySet().stream()
        .filter(
            meter -> meter.getKey().contains("validations") || meter.getKey().endsWith("statuses"))
        .mapToLong(meter -> meter.getValue().getCount())
        .sum();
  }

  private static Put put(String row, int value) {
    return new Put(Bytes.toBytes(row)).addColumn(FAMILY, FAMILY, Bytes.toBytes(value));
  }

  private static int value(byte[] bytes) {
    return Bytes.toInt(bytes);
  }

  private Path certificate() {
    return directory.resolve("manager.crt");
  }

  /** By the JDK's own tool. */
  private void makeCertificate() throws Exception {
    Path store = directory.resolve("manager.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "it",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                "CN=manager",
                "-ext",
                "san=ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                store.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(keytool.waitFor()).as(said).isZero();
    KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
    Files.writeString(certificate(), pem("CERTIFICATE", keys.getCertificate("it").getEncoded()));
    byte[] key = keys.getKey("it", PASSWORD.toCharArray()).getEncoded();
    secretFile("manager.key", pem("PRIVATE KEY", key));
  }

  private static String pem(String kind, byte[] der) {
    return "-----BEGIN "
        + kind
        + "-----\n"
        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der)
        + "\n-----END "
        + kind
        + "-----\n";
  }

  private Path secretFile(String name, String content) throws IOException {
    Path file = directory.resolve(name);
    Files.writeString(file, content);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file;
  }
}
