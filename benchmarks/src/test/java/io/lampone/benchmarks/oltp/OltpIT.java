package io.lampone.benchmarks.oltp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.benchmarks.smallbank.SmallBank;
import io.lampone.benchmarks.tatp.Tatp;
import io.lampone.benchmarks.tpcc.Scale;
import io.lampone.benchmarks.tpcc.Tpcc;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs each workload for a moment, small enough for conflicts, and checks its conditions. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OltpIT {

  private static final long SEED = System.nanoTime();

  @TempDir private static Path folder;

  private static EmbeddedLampone cluster;

  @BeforeAll
  static void start() throws IOException {
    cluster = EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder).build());
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  static Stream<Workload> workloads() {
    return Stream.of(new SmallBank(8), new Tatp(20), new Tpcc(new Scale(2, 12, 40)));
  }

  @ParameterizedTest
  @MethodSource("workloads")
  void everyTransactionCommitsSometimesAndWhatMustHoldHolds(Workload workload) throws Exception {
    OltpReport report =
        OltpDriver.run(
            workload,
            new OltpPlan(Duration.ofMillis(200), Duration.ofMillis(1_500), 4, 30, SEED, false),
            cluster.configuration(),
            SystemClock.INSTANCE,
            line -> {});
    assertThat(report.violations()).as("seed %d", SEED).isEmpty();
    JsonNode json = new ObjectMapper().readTree(report.toJson());
    assertThat(json.get("types")).hasSize(workload.types().size());
    long committed = 0;
    for (JsonNode type : json.get("types")) {
      committed += type.get("committed").asLong();
    }
    assertThat(committed).as("seed %d %s", SEED, json).isPositive();
    assertThat(report.lines()).anyMatch(line -> line.startsWith("All hold: "));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void tablesAreDroppedUnlessAConditionDoesNotHold(boolean holds) throws Exception {
    SmallBank bank = new SmallBank(8);
    OltpReport report =
        OltpDriver.run(
            new Judged(bank, holds ? List.of() : List.of("condition 1: broken")),
            new OltpPlan(Duration.ZERO, Duration.ofMillis(100), 1, 30, SEED, true),
            cluster.configuration(),
            SystemClock.INSTANCE,
            line -> {});
    assertThat(report.isConsistent()).isEqualTo(holds);
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = connection.getAdmin()) {
      for (TableName table : bank.tables()) {
        assertThat(admin.tableExists(table)).as(table.toString()).isNotEqualTo(holds);
      }
    }
  }

  /** Workload with a given verdict. */
  private record Judged(Workload workload, List<String> verdict) implements Workload {

    @Override
    public String name() {
      return workload.name();
    }

    @Override
    public List<String> types() {
      return workload.types();
    }

    @Override
    public List<TableName> tables() {
      return workload.tables();
    }

    @Override
    public void load(Loader loader) throws IOException {
      workload.load(loader);
    }

    @Override
    public Work next(Terminal terminal) {
      return workload.next(terminal);
    }

    @Override
    public List<String> check(LamponeClient client) {
      return verdict;
    }

    @Override
    public List<String> conditions() {
      return workload.conditions();
    }
  }

  /** Column whose corruption violates a condition. */
  private record Place(String table, String column, String condition) {}

  @Test
  void whatIsBrokenIsFound() throws Exception {
    Workload workload = new Tpcc(new Scale(1, 10, 20));
    try (LamponeClient client = LamponeClient.connect(cluster.configuration())) {
      Loader.load(workload, cluster.configuration(), client, SystemClock.INSTANCE, text -> {});
      assertThat(workload.check(client)).isEmpty();
      for (Place place :
          List.of(
              new Place("tpcc-warehouse", "ytd", "condition 1"),
              new Place("tpcc-warehouse", "ytd", "condition 8"),
              new Place("tpcc-district", "next_o_id", "condition 2"),
              new Place("tpcc-district", "ytd", "condition 9"),
              new Place("tpcc-order", "ol_cnt", "condition 4"),
              new Place("tpcc-order", "ol_cnt", "condition 6"),
              new Place("tpcc-history", "amount", "condition 8"),
              new Place("tpcc-customer", "balance", "condition 10"),
              new Place("tpcc-customer", "ytd_payment", "condition 12"))) {
        add(client, place, 1);
        assertThat(workload.check(client))
            .as(place.toString())
            .anyMatch(violation -> violation.startsWith(place.condition() + ":"));
        add(client, place, -1);
        assertThat(workload.check(client)).isEmpty();
      }
      // Undelivered line of an order that has a carrier.
      change(client, "tpcc-order-line", row -> deletion(row, "delivery_d"));
      assertThat(workload.check(client))
          .anyMatch(violation -> violation.startsWith("condition 7:"));
      change(client, "tpcc-order-line", row -> OltpRow.set(put(row), "delivery_d", 1));
      assertThat(workload.check(client)).isEmpty();
      // The second order that waits: a gap, and an order neither waiting nor carried.
      deleteSecond(client, "tpcc-new-order");
      assertThat(workload.check(client))
          .anyMatch(violation -> violation.startsWith("condition 3:"))
          .anyMatch(violation -> violation.startsWith("condition 5:"));
    }
  }

  private static void add(LamponeClient client, Place place, int more) throws IOException {
    change(
        client,
        place.table(),
        row ->
            OltpRow.set(put(row), place.column(), OltpRow.of(row).number(place.column()) + more));
  }

  private static Put put(Result row) {
    return OltpRow.put(row.getRow());
  }

  private static Delete deletion(Result row, String column) {
    assertThat(OltpRow.of(row).has(column)).isTrue();
    return new Delete(row.getRow()).addColumns(OltpRow.family(), Bytes.toBytes(column));
  }

  /** Writes to the first row of a table. */
  private static void change(LamponeClient client, String name, Function<Result, Mutation> mutation)
      throws IOException {
    TableName table = TableName.valueOf(name);
    client.run(
        transaction -> {
          Mutation chosen = mutation.apply(rows(transaction, table, 1).get(0));
          if (chosen instanceof Put written) {
            transaction.table(table).put(written);
          } else {
            transaction.table(table).delete((Delete) chosen);
          }
          return table;
        });
  }

  private static void deleteSecond(LamponeClient client, String name) throws IOException {
    TableName table = TableName.valueOf(name);
    client.run(
        transaction -> {
          Result row = rows(transaction, table, 2).get(1);
          transaction.table(table).delete(OltpRow.delete(row.getRow()));
          return table;
        });
  }

  private static List<Result> rows(Transaction transaction, TableName table, int count)
      throws IOException {
    List<Result> rows = new ArrayList<>();
    try (ResultScanner scanner = transaction.table(table).getScanner(new Scan().setLimit(count))) {
      scanner.forEach(rows::add);
    }
    return rows;
  }
}
