package io.lampone.phoenix;

import static io.lampone.phoenix.SqlCluster.Sql.query;
import static io.lampone.phoenix.SqlCluster.Sql.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import io.lampone.phoenix.SqlCluster.Sql;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerServer;
import io.lampone.tm.core.validation.Sharding;
import io.lampone.tmclient.CommandAnswer;
import io.lampone.tmclient.CommandClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.phoenix.exception.SQLExceptionCode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** SQL while three validators beside the primary own most conflict hashes, fences among them. */
@Tag("own-jvm")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SqlValidatorsIT {

  private static final int VALIDATORS = 3;
  private static final int ACCOUNTS = 12;
  private static final String CREATE =
      "CREATE TABLE %s (id BIGINT NOT NULL PRIMARY KEY, a VARCHAR, n BIGINT) TRANSACTIONAL=true";

  private final List<TransactionManagerServer> validators = new ArrayList<>();
  private final CommandClient commands =
      new CommandClient(TransactionManagerClientConfig.builder().build());
  private Sql sql;

  @BeforeAll
  void start() throws Exception {
    sql = new Sql();
    for (int i = 0; i < VALIDATORS; i++) {
      TransactionManagerServer server =
          TransactionManagerServer.start(
              TransactionManagerConfig.builder()
                  .bindHost("127.0.0.1")
                  .bindPort(0)
                  .zookeeperQuorum(sql.cluster().hbase().zooKeeperConnectString())
                  .conflictTableCapacity(1 << 16)
                  .sharding(new Sharding("v" + i, true, Duration.ofSeconds(1)))
                  .build(),
              new MetricRegistry());
      validators.add(server);
      server.whenListed().join();
      assertThat(send("validator-add", "validator=v" + i).succeeded()).isTrue();
    }
  }

  @AfterAll
  void stop() throws Exception {
    validators.forEach(TransactionManagerServer::close);
    commands.close();
    sql.close();
  }

  private CommandAnswer send(String name, String argument) {
    String[] address = sql.cluster().managerAddress().split(":", -1);
    return commands
        .ask(new InetSocketAddress(address[0], Integer.parseInt(address[1])), name, argument)
        .join();
  }

  private static void assertConflict(SQLException failure) {
    assertThat(failure.getErrorCode())
        .as(failure.getMessage())
        .isEqualTo(SQLExceptionCode.TRANSACTION_CONFLICT_EXCEPTION.getErrorCode());
  }

  /** Pairs of transactions that write one row of an indexed table: the second of each fails. */
  @Test
  void conflictsAreFound_whicheverValidatorOwnsThem() throws SQLException {
    try (Connection first = sql.connect(false);
        Connection second = sql.connect(false)) {
      update(first, CREATE.formatted("shared"));
      update(first, "CREATE INDEX shared_a ON shared (a) INCLUDE (n)");
      for (int id = 0; id < ACCOUNTS; id++) {
        update(first, "UPSERT INTO shared VALUES (" + id + ", 'a" + id % 3 + "', 100)");
      }
      first.commit();
      int conflicts = 0;
      for (int id = 0; id < ACCOUNTS; id++) {
        int other = (id + 1) % ACCOUNTS;
        for (Connection each : List.of(first, second)) {
          update(each, "UPSERT INTO shared (id, n) SELECT id, n - 1 FROM shared WHERE id = " + id);
          update(
              each, "UPSERT INTO shared (id, n) SELECT id, n + 1 FROM shared WHERE id = " + other);
        }
        first.commit();
        try {
          second.commit();
        } catch (SQLException e) {
          assertConflict(e);
          conflicts++;
        }
        second.rollback();
      }
      assertThat(conflicts).isEqualTo(ACCOUNTS);
      assertThat(query(first, "SELECT /*+ NO_INDEX */ COUNT(*), SUM(n) FROM shared"))
          .containsExactly(ACCOUNTS + " " + 100 * ACCOUNTS);
      assertThat(query(first, "SELECT COUNT(*), SUM(\"0:N\") FROM shared_a"))
          .containsExactly(ACCOUNTS + " " + 100 * ACCOUNTS);
      first.rollback();
    }
    assertThat(send("validators", "").text()).doesNotContain("\"bucketsOfPrimary\":2520");
  }

  /** The fence is a conflict hash, which a validator may own. */
  @Test
  void olderTransactionsAreFencedFromTablesWithNewIndexes() throws SQLException {
    for (int i = 0; i < 4; i++) {
      String table = "fenced" + i;
      try (Connection writer = sql.connect(false);
          Connection ddl = sql.connect(true)) {
        update(ddl, CREATE.formatted(table));
        update(writer, "UPSERT INTO " + table + " VALUES (1, 'x', 1)");
        // Sent before the index is made, as a large transaction would be.
        query(writer, "SELECT * FROM " + table);
        update(ddl, "CREATE INDEX " + table + "_a ON " + table + " (a)");
        assertThatThrownBy(writer::commit)
            .isInstanceOfSatisfying(SQLException.class, SqlValidatorsIT::assertConflict);
        writer.rollback();
        assertThat(query(ddl, "SELECT COUNT(*) FROM " + table)).containsExactly("0");
      }
    }
  }

  /** SNAPSHOT allows it, also here; a row that both write prevents it, as the page says. */
  @Test
  void writeSkewIsPreventedByARowThatBothWrite() throws SQLException {
    try (Connection first = sql.connect(false);
        Connection second = sql.connect(false)) {
      update(first, CREATE.formatted("duty"));
      for (int id = 0; id < 3; id++) { // the last one is the rule's
        update(first, "UPSERT INTO duty VALUES (" + id + ", 'on', 1)");
      }
      first.commit();
      List<Connection> both = List.of(first, second);
      for (int id = 0; id < 2; id++) {
        Connection each = both.get(id);
        assertThat(query(each, "SELECT COUNT(*) FROM duty WHERE id < 2 AND a = 'on'"))
            .containsExactly("2");
        update(each, "UPSERT INTO duty (id, a) VALUES (" + id + ", 'off')");
        update(each, "UPSERT INTO duty (id, n) VALUES (2, 1)");
      }
      first.commit();
      assertThatThrownBy(second::commit)
          .isInstanceOfSatisfying(SQLException.class, SqlValidatorsIT::assertConflict);
      second.rollback();
      assertThat(query(first, "SELECT COUNT(*) FROM duty WHERE id < 2 AND a = 'on'"))
          .containsExactly("1");
      first.rollback();
    }
  }
}
