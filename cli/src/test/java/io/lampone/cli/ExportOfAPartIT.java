package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lampone.client.LamponeClient;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.protocol.ConflictLevel;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.PrivilegedAction;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.AccessControlClient;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Exports by a user from whom HBase's authorizer hides a part of a table. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ExportOfAPartIT {

  private static final TableName NAME = TableName.valueOf("partly");
  private static final byte[] F = {'f'};
  private static final byte[] G = {'g'};
  private static final String USER = "exporter";

  @TempDir private static Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  /**
   * With {@code early_out=false} HBase leaves out what its reader may not see, and says nothing.
   */
  @Test
  void anExportThatWouldLackAFamilyFails() throws Throwable {
    SignedBackups backups = new SignedBackups(folder.resolve("key"));
    String authorizer = AccessController.class.getName();
    EmbeddedHBaseConfig config =
        EmbeddedHBaseConfig.builder(folder.resolve("c"))
            .setting("hbase.security.authorization", "true")
            .setting("hbase.superuser", User.getCurrent().getShortName())
            .setting("hbase.coprocessor.master.classes", authorizer)
            .setting("hbase.coprocessor.region.classes", authorizer)
            .setting("hbase.coprocessor.regionserver.classes", authorizer)
            .build();
    try (EmbeddedLampone cluster = EmbeddedLampone.start(config);
        LamponeClient owner = LamponeClient.connect(cluster.configuration());
        Connection hbase = ConnectionFactory.createConnection(cluster.configuration())) {
      TableDescriptorBuilder table =
          TableDescriptorBuilder.newBuilder(NAME)
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(G))
              .setValue("hbase.security.access.early_out", "false");
      owner.admin().createTable(table.build(), ConflictLevel.ROW);
      Put put = new Put("r".getBytes(StandardCharsets.UTF_8)).addColumn(F, F, F).addColumn(G, G, G);
      owner.fastPath().table(NAME).put(put);
      // To read the table's descriptor.
      AccessControlClient.grant(hbase, NAME, USER, null, null, Action.CREATE);
      AccessControlClient.grant(hbase, NAME, USER, F, null, Action.READ);

      String quorum = cluster.hbase().zooKeeperConnectString();
      Path partial = folder.resolve("partial");
      await()
          .atMost(Duration.ofMinutes(1)) // until the grants have arrived
          .untilAsserted(
              () -> {
                assertThat(export(backups.command(quorum, "export", "partly", partial.toString())))
                    .as(out.toString())
                    .isEqualTo(1);
                assertThat(err.toString()).contains("not all of the range may be read");
              });
      assertThat(partial.resolve("backup.json")).doesNotExist();

      AccessControlClient.grant(hbase, NAME, USER, null, null, Action.READ, Action.CREATE);
      List<String> resume = backups.command(quorum, "export", "--resume", partial.toString());
      await().atMost(Duration.ofMinutes(1)).until(() -> export(resume) == 0);
      assertThat(out.toString()).contains("1 row");
      assertThat(partial.resolve("backup.json")).exists();
    }
  }

  private int export(List<String> arguments) {
    err.getBuffer().setLength(0);
    PrivilegedAction<Integer> command =
        () ->
            Lampone.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments.toArray(String[]::new));
    return UserGroupInformation.createRemoteUser(USER).doAs(command);
  }
}
