package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.embedded.EmbeddedHBase;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.connect.SecurityFiles;
import io.lampone.protocol.connect.SecurityProperties;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerServer;
import io.lampone.tm.security.Authenticator.Mode;
import io.lampone.tm.security.SecuritySettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The doctor of an administrator of the transaction manager, and of another client. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DoctorWithoutPassIT {

  private static final byte[] CELL = {'f'};

  @TempDir private Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void itNamesLeadersInOtherTablesToAdministratorsAndSaysSoOtherwise() throws Exception {
    Path key = folder.resolve("cluster.key");
    SecurityFiles.createClusterKey(key);
    Path principals =
        file(
            "principals",
            "regions region * the-secret-of-the-regions\n"
                + "root client,administrator * the-secret-of-the-root\n"
                + "shop client * the-secret-of-the-shop\n");
    String authorizer = AccessController.class.getName();
    EmbeddedHBaseConfig config =
        EmbeddedHBaseConfig.builder(folder.resolve("data"))
            .setting("lampone.region.cluster.key.file", key.toString())
            .setting(SecurityProperties.PRINCIPAL.name(), "regions")
            .setting(
                SecurityProperties.SECRET_FILE.name(),
                file("regions", "the-secret-of-the-regions\n").toString())
            .setting("hbase.security.authorization", "true")
            .setting("hbase.superuser", User.getCurrent().getShortName())
            .setting("hbase.coprocessor.master.classes", authorizer)
            .setting("hbase.coprocessor.region.classes", authorizer)
            .setting("hbase.coprocessor.regionserver.classes", authorizer)
            .build();
    try (EmbeddedHBase hbase = EmbeddedHBase.start(config);
        TransactionManagerServer manager = manager(hbase, principals, key)) {
      manager.whenPrimary().get(60, TimeUnit.SECONDS);
      Path shop = file("shop", "the-secret-of-the-shop\n");
      Path root = file("root", "the-secret-of-the-root\n");
      Configuration eager = new Configuration(hbase.configuration());
      eager.set(SecurityProperties.PRINCIPAL.name(), "shop");
      eager.set(SecurityProperties.SECRET_FILE.name(), shop.toString());
      eager.set("lampone.client.buffer.bytes", "0");
      try (LamponeClient client = LamponeClient.connect(eager)) {
        for (String name : List.of("shown", "secret")) {
          client
              .admin()
              .createTable(
                  TableDescriptorBuilder.newBuilder(TableName.valueOf(name))
                      .setColumnFamily(ColumnFamilyDescriptorBuilder.of(CELL))
                      .build(),
                  ConflictLevel.ROW);
        }
        try (Transaction tx = client.begin()) {
          put(tx, "secret");
          put(tx, "shown");
          assertThat(doctor(hbase, "root", root)).as(err.toString()).isEqualTo(3);
          assertThat(out.toString()).contains("OLD_INTENT", "leader=", "secret");
          assertThat(err.toString()).doesNotContain("inspection pass");

          assertThat(doctor(hbase, "shop", shop)).as(err.toString()).isEqualTo(3);
          assertThat(out.toString())
              .contains("OLD_INTENT", "leader=not shown")
              .doesNotContain("secret")
              .doesNotContain("ILLEGAL_LEADER");
          assertThat(err.toString())
              .contains("Without an inspection pass leaders in other tables", "not permitted");
        }
      }
    }
  }

  private static void put(Transaction tx, String name) throws IOException {
    try (Table table = tx.table(TableName.valueOf(name))) {
      table.put(new Put(CELL).addColumn(CELL, CELL, CELL));
    }
  }

  private int doctor(EmbeddedHBase hbase, String principal, Path secret) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return Lampone.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(
            "doctor",
            "--older-than=0",
            "shown",
            "--zookeeper=" + hbase.zooKeeperConnectString(),
            "-D",
            SecurityProperties.PRINCIPAL.name() + "=" + principal,
            "-D",
            SecurityProperties.SECRET_FILE.name() + "=" + secret);
  }

  private static TransactionManagerServer manager(EmbeddedHBase hbase, Path principals, Path key)
      throws IOException {
    return TransactionManagerServer.start(
        TransactionManagerConfig.builder()
            .bindHost("127.0.0.1")
            .bindPort(0)
            .zookeeperQuorum(hbase.zooKeeperConnectString())
            .security(
                new SecuritySettings(
                    Mode.SECRET,
                    Optional.of(principals),
                    Optional.empty(),
                    Optional.of(key),
                    Optional.empty()))
            .build(),
        new MetricRegistry());
  }

  private Path file(String name, String text) throws IOException {
    Path file = Files.writeString(folder.resolve(name), text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file;
  }
}
