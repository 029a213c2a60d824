package io.lampone.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.cli.Lampone;
import io.lampone.coprocessor.TableGuard;
import io.lampone.embedded.EmbeddedHBase;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SqlCommandIT {

  @TempDir Path folder;

  private final StringWriter err = new StringWriter();

  private int sql(String address, String... more) {
    List<String> arguments = new ArrayList<>(List.of("sql", "--zookeeper=" + address));
    arguments.addAll(List.of(more));
    err.getBuffer().setLength(0);
    return Lampone.commandLine()
        .setErr(new PrintWriter(err, true))
        .execute(arguments.toArray(String[]::new));
  }

  private EmbeddedHBaseConfig.Builder hbase(String name) {
    return EmbeddedHBaseConfig.builder(folder.resolve(name)).regionServers(1);
  }

  @Test
  void statementsAndScriptsRun_andAFailureEndsThemWithOne() throws Exception {
    EmbeddedHBaseConfig.Builder config = hbase("sql");
    new BankStory().configure(config);
    try (EmbeddedLampone cluster = EmbeddedLampone.start(config.build())) {
      String address = cluster.hbase().zooKeeperConnectString();
      assertThat(
              sql(
                  address,
                  "-e",
                  "CREATE TABLE t (id BIGINT NOT NULL PRIMARY KEY, n BIGINT) TRANSACTIONAL=true"))
          .as(err.toString())
          .isZero();
      Path script =
          Files.writeString(
              folder.resolve("script.sql"),
              "!autocommit off\nUPSERT INTO t VALUES (1, 10);\nUPSERT INTO t VALUES (2, 20);\n"
                  + "!commit\nUPSERT INTO t VALUES (3, 30);\n!rollback\n");
      assertThat(sql(address, script.toString())).as(err.toString()).isZero();
      assertThat(sum()).isEqualTo(30);
      assertThat(sql(address, "-e", "SELECT * FROM absent")).isEqualTo(1);
      Path wrong =
          Files.writeString(
              folder.resolve("wrong.sql"), "SELECT * FROM absent;\nUPSERT INTO t VALUES (9, 9);\n");
      assertThat(sql(address, wrong.toString())).isEqualTo(1);
      assertThat(sum()).isEqualTo(30);
      assertThat(sql(address, "absent.sql")).isEqualTo(1);
      assertThat(err.toString()).contains("absent.sql");
    }
  }

  private static long sum() throws Exception {
    try (Connection connection = DriverManager.getConnection(CommandConfiguration.url());
        ResultSet sum = connection.createStatement().executeQuery("SELECT SUM(n) FROM t")) {
      assertThat(sum.next()).isTrue();
      return sum.getLong(1);
    }
  }

  @Test
  void whatIsMissingIsTold() throws IOException {
    assertThat(sql("127.0.0.1:1", "-e", "SELECT 1")).isEqualTo(1);
    assertThat(err.toString()).contains("nobody answers as ZooKeeper", "--zookeeper HOST:PORT");
    try (EmbeddedHBase cluster = EmbeddedHBase.start(hbase("plain").build())) {
      assertThat(sql(cluster.zooKeeperConnectString(), "-e", "SELECT 1")).isEqualTo(1);
      assertThat(err.toString())
          .contains("master observer", "hbase.coprocessor.master.classes")
          .doesNotContain("\tat ");
    }
    try (EmbeddedHBase cluster =
        EmbeddedHBase.start(hbase("without-manager").masterCoprocessor(TableGuard.class).build())) {
      assertThat(sql(cluster.zooKeeperConnectString(), "-e", "SELECT 1")).isEqualTo(1);
      assertThat(err.toString())
          .contains("no transaction manager answered")
          .doesNotContain("\tat ");
    }
  }
}
