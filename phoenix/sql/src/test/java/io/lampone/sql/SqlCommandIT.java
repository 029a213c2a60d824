package io.lampone.sql;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.cli.Lampone;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
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
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SqlCommandIT {

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int sql(String address, String... more) {
    List<String> arguments = new ArrayList<>(List.of("sql", "--zookeeper=" + address));
    arguments.addAll(List.of(more));
    err.getBuffer().setLength(0);
    out.getBuffer().setLength(0);
    return Lampone.commandLine()
        .setOut(new PrintWriter(out, true))
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
      Path lost =
          Files.writeString(
              folder.resolve("lost.sql"),
              "!autocommit off\nUPSERT INTO t VALUES (9, 9);\nCREATE VIEW v AS SELECT * FROM t;\n");
      assertThat(sql(address, lost.toString())).isEqualTo(1); // Phoenix would drop the row
      assertThat(sql(address, "-e", "CREATE VIEW v AS SELECT * FROM t")).isZero();
      assertThat(sql(address, "check-index", "v", "--zookeeper=" + address)).isEqualTo(1);
      assertThat(err.toString()).contains("those of views are not");
      assertThat(sql(address, "absent.sql")).isEqualTo(1);
      assertThat(err.toString()).contains("absent.sql");
      indexesAreChecked(cluster, address);
      aTableIsAdopted(address);
    }
  }

  private void aTableIsAdopted(String address) throws Exception {
    Path old =
        Files.writeString(
            folder.resolve("old.sql"),
            "CREATE TABLE s.old (id BIGINT NOT NULL PRIMARY KEY, n BIGINT);\n"
                + "CREATE INDEX old_n ON s.old (n);\nUPSERT INTO s.old VALUES (1, 10);\n");
    assertThat(sql(address, old.toString())).as(err.toString()).isZero();
    assertThat(sql(address, "adopt", "--zookeeper=" + address, "s.old")).isEqualTo(1);
    assertThat(err.toString()).contains("drop them", "OLD_N");
    assertThat(sql(address, "-e", "DROP INDEX old_n ON s.old")).isZero();
    assertThat(sql(address, "adopt", "--zookeeper=" + address, "s.old"))
        .as(err.toString())
        .isZero();
    assertThat(sql(address, "-e", "CREATE INDEX old_n ON s.old (n)")).isZero();
    assertThat(sql(address, "check-index", "--zookeeper=" + address, "s.old"))
        .as(out + " " + err)
        .isZero();
    assertThat(out.toString()).contains("OLD_N: 1 rows, missing 0");
  }

  private void indexesAreChecked(EmbeddedLampone cluster, String address) throws Exception {
    Path bank =
        Files.writeString(
            folder.resolve("bank.sql"),
            """
            CREATE TABLE s.bank (a BIGINT NOT NULL, b VARCHAR NOT NULL, branch VARCHAR, n BIGINT,
                CONSTRAINT pk PRIMARY KEY (a DESC, b)) TRANSACTIONAL=true, SALT_BUCKETS=2;
            CREATE INDEX by_branch ON s.bank (branch) INCLUDE (n);
            CREATE INDEX by_number ON s.bank (n DESC, UPPER(branch));
            UPSERT INTO s.bank VALUES (1, 'x', 'rome', 10);
            UPSERT INTO s.bank VALUES (2, 'x', 'oslo', 20);
            UPSERT INTO s.bank VALUES (2, 'y', 'bern', NULL);
            UPSERT INTO s.bank VALUES (-3, 'z', NULL, 30);
            """);
    assertThat(sql(address, bank.toString())).as(err.toString()).isZero();
    assertThat(sql(address, "check-index", "s.bank", "--zookeeper=" + address))
        .as(out + " " + err)
        .isZero();
    assertThat(out.toString()).contains("BY_BRANCH: 4 rows, missing 0", "BY_NUMBER: 4 rows");
    try (LamponeClient client = LamponeClient.connect(cluster.clientConfiguration());
        Transaction transaction = client.begin()) {
      Table index = transaction.table("S.BY_BRANCH");
      try (ResultScanner rows = index.getScanner(new Scan().setLimit(1))) {
        index.delete(new Delete(rows.next().getRow()));
      }
      transaction.commit();
    }
    assertThat(sql(address, "check-index", "--zookeeper=" + address, "--json", "s.bank"))
        .isEqualTo(1);
    JsonNode line = new ObjectMapper().readTree(out.toString());
    assertThat(line.get("consistent").asBoolean()).isFalse();
    assertThat(line.at("/indexes/0/missing").asLong()).isEqualTo(1);
    assertThat(line.at("/indexes/1/consistent").isMissingNode()).isTrue();
    assertThat(sql(address, "check-index", "--zookeeper=" + address, "s.bank", "by_number"))
        .isZero();
    assertThat(sql(address, "check-index", "--zookeeper=" + address, "s.bank", "none"))
        .isEqualTo(1);
    assertThat(err.toString()).contains("no such index");
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
    assertThat(err.toString()).contains("no ZooKeeper answers", "--zookeeper HOST:PORT");
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
