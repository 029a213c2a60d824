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
      indexesOfNullableColumnsAreChecked(address);
      indexesThatAreNotActiveAreNotCompared(address);
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

  /** Phoenix keeps them as DECIMAL, VARCHAR and VARBINARY in an index. */
  private void indexesOfNullableColumnsAreChecked(String address) throws Exception {
    Path typed =
        Files.writeString(
            folder.resolve("typed.sql"),
            """
            CREATE TABLE s.dated (id BIGINT NOT NULL PRIMARY KEY, d DATE, f BOOLEAN, t TIME,
                s TIMESTAMP) TRANSACTIONAL=true;
            UPSERT INTO s.dated VALUES (1, CURRENT_DATE(), true, CURRENT_TIME(),
                TO_TIMESTAMP('2026-01-02 03:04:05.006007008', 'yyyy-MM-dd HH:mm:ss.SSSSSSSSS'));
            UPSERT INTO s.dated VALUES (2, TO_DATE('1960-01-01'), false, TO_TIME('10:00:00',
                'HH:mm:ss'), TO_TIMESTAMP('1960-01-01 00:00:00.001', 'yyyy-MM-dd HH:mm:ss.SSS'));
            UPSERT INTO s.dated (id) VALUES (3);
            CREATE INDEX dated_d ON s.dated (d, f);
            CREATE INDEX dated_t ON s.dated (t DESC, s DESC, f DESC, d DESC);
            CREATE INDEX dated_e ON s.dated (d + 1) INCLUDE (f, s);
            CREATE TABLE s.padded (id CHAR(4) NOT NULL PRIMARY KEY, c CHAR(5), b BINARY(4))
                TRANSACTIONAL=true;
            UPSERT INTO s.padded VALUES ('1', 'ab', DECODE('0102', 'HEX'));
            UPSERT INTO s.padded VALUES ('12', 'abcde', DECODE('01020304', 'HEX'));
            UPSERT INTO s.padded (id, b) VALUES ('123', DECODE('05', 'HEX'));
            CREATE INDEX padded_c ON s.padded (c) INCLUDE (b);
            CREATE INDEX padded_d ON s.padded (c DESC);
            CREATE TABLE s.numbers (id BIGINT NOT NULL PRIMARY KEY, a DOUBLE, b FLOAT,
                c DECIMAL, d TINYINT, e UNSIGNED_LONG, g UNSIGNED_DOUBLE, h INTEGER)
                TRANSACTIONAL=true;
            UPSERT INTO s.numbers VALUES (1, 0.1, 0.1, 12.34, -5, 7, 1.1, -9);
            UPSERT INTO s.numbers VALUES (2, -1.0E30, 3.3E38, -0.01, 5, 0, 123456789.123456, 0);
            UPSERT INTO s.numbers (id) VALUES (3);
            CREATE INDEX numbers_a ON s.numbers (a, b, c, d, e, g, h);
            CREATE INDEX numbers_b ON s.numbers (a DESC, b DESC, c DESC, d DESC, e DESC, g DESC,
                h DESC);
            """);
    assertThat(sql(address, typed.toString())).as(err.toString()).isZero();
    executeAgain(address, "UPSERT INTO s.dated SELECT id + 10, d, f, t, s FROM s.dated");
    executeAgain(address, "UPSERT INTO s.padded (id, c) VALUES ('91', 'x')");
    executeAgain(
        address, "UPSERT INTO s.numbers SELECT id + 10, a, b, c, d, e, g, h FROM s.numbers");
    List<String> found = new ArrayList<>();
    for (String table : List.of("s.dated", "s.padded", "s.numbers")) {
      if (sql(address, "check-index", "--zookeeper=" + address, table) != 0) {
        found.add(out + " " + err);
      }
    }
    assertThat(found).isEmpty();
  }

  /** Executes what may fail once or twice after an index was made. */
  private void executeAgain(String address, String statement) {
    for (int failures = 0; sql(address, "-e", statement) != 0; failures++) {
      assertThat(failures).as(err.toString()).isLessThan(2);
    }
  }

  private void indexesThatAreNotActiveAreNotCompared(String address) throws Exception {
    Path disabled =
        Files.writeString(
            folder.resolve("disabled.sql"),
            """
            ALTER INDEX padded_c ON s.padded DISABLE;
            UPSERT INTO s.padded (id, c) VALUES ('4', 'new');
            """);
    assertThat(sql(address, disabled.toString())).as(err.toString()).isZero();
    assertThat(sql(address, "check-index", "--zookeeper=" + address, "s.padded")).isEqualTo(1);
    assertThat(out.toString())
        .contains("PADDED_C: WARN, not compared, state=DISABLE", "PADDED_D: 5 rows", "another name")
        .doesNotContain("DO NOT AGREE", "PADDED_C: 5 rows");
    assertThat(sql(address, "check-index", "--zookeeper=" + address, "s.padded", "padded_d"))
        .isZero();
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
