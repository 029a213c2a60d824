package io.lampone.coprocessor;

import static io.lampone.coprocessor.FastTable.F;
import static io.lampone.coprocessor.PlainCalls.AS_IT_WAS;
import static io.lampone.coprocessor.PlainCalls.COLUMN;
import static io.lampone.coprocessor.PlainCalls.FAMILY;
import static io.lampone.coprocessor.PlainCalls.NUMBER;
import static io.lampone.coprocessor.PlainCalls.ifEquals;
import static io.lampone.coprocessor.PlainCalls.put;
import static io.lampone.coprocessor.PlainCalls.row;
import static io.lampone.coprocessor.PlainCalls.value;
import static io.lampone.coprocessor.PlainCalls.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.lampone.coprocessor.PlainCalls.Action;
import io.lampone.coprocessor.PlainCalls.Call;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RequestLimits;
import io.lampone.protocol.trust.Proofs;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every call that an unmodified application of HBase makes, on a table that refuses it and on one
 * that carries it out on the fast path. The rows hold a = "1", b = "2", c = "3"; on b there is an
 * intent that nobody has decided, which no call may show.
 */
@ExtendWith(ClusterExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PlainCallsIT {

  private final TinyCluster cluster;
  private final Ticks ticks;
  private final long base;

  private final List<Place> places = new ArrayList<>();
  private TestTable table;
  private FastTable fast;
  private Table plain;
  private PlainCalls calls;

  /** A table, and the intent that is on it. */
  private record Place(TestTable table, Table plain, long intent) {}

  PlainCallsIT(TinyCluster cluster) {
    this.cluster = cluster;
    this.ticks = cluster.ticks();
    this.base = ticks.next();
  }

  @BeforeAll
  void createTables() throws Exception {
    cluster.publish(Ticks.record(base, base));
    for (PlainClients plainClients : PlainClients.values()) {
      table = new TestTable(cluster.connection(), "calls-" + plainClients);
      table.createPlain(null, "f", "g");
      table.enable(
          new TableSettings(
              TableSettings.Phase.ENABLED, ConflictLevel.ROW, base, true, plainClients));
      fast = new FastTable(cluster, table, base);
      for (int i = 1; i <= 3; i++) {
        fast.put(Bytes.of(row(i)), String.valueOf(i));
      }
      long intent = ticks.next();
      table.send(fast.flush(intent, Bytes.of(row(2))));
      Table hbase = cluster.connection().getTable(table.name());
      places.add(plainClients.ordinal(), new Place(table, hbase, intent));
    }
  }

  @AfterAll
  void close() throws Exception {
    for (Place place : places) {
      place
          .table()
          .send(
              new AbortLeader(
                  place.intent(),
                  base,
                  Bytes.of(row(2)),
                  F,
                  false,
                  Proofs.OPEN.grant(place.intent(), 0)));
      place.plain().close();
    }
  }

  /** Takes the table of that kind, with the rows as they are to be. */
  private void open(PlainClients plainClients) throws Exception {
    Place place = places.get(plainClients.ordinal());
    table = place.table();
    plain = place.plain();
    calls = new PlainCalls(cluster, plain);
    fast = new FastTable(cluster, table, base);
    if (plainClients == PlainClients.FAST_PATH) {
      for (int i = 1; i < 10; i++) {
        if (i != 2) {
          plain.delete(new Delete(row(i)));
        }
      }
      fast.put(Bytes.of(row(1)), "1");
      fast.put(Bytes.of(row(3)), "3");
    }
  }

  @ParameterizedTest
  @MethodSource("io.lampone.coprocessor.PlainCalls#all")
  void aTableThatRefusesPlainClientsRefusesTheCallAndChangesNothing(Call call) throws Exception {
    open(PlainClients.REFUSED);
    List<String> before = stored();
    assertThat(before).hasSizeGreaterThanOrEqualTo(4);
    assertThatThrownBy(() -> call.body().run(calls))
        .satisfies(error -> assertThat(codeIn(error)).as("%s", error).isEqualTo(Code.PLAIN_CLIENT));
    List<String> left = new ArrayList<>(fast.snapshot(Bytes.of(row(1)), ticks.next()));
    left.addAll(fast.snapshot(Bytes.of(row(3)), ticks.next()));
    assertThat(left).isEqualTo(AS_IT_WAS);
    assertThat(stored()).isEqualTo(before);
  }

  /** Every version of every cell, underneath the observer. */
  private List<String> stored() throws Exception {
    List<String> stored = new ArrayList<>();
    try (RegionScanner scanner = fast.region().getScanner(new Scan().readAllVersions())) {
      List<Cell> row = new ArrayList<>();
      boolean more = true;
      while (more) {
        more = scanner.next(row);
        row.forEach(c -> stored.add(c + "=" + Bytes.wrap(CellUtil.cloneValue(c))));
        row.clear();
      }
    }
    return stored;
  }

  @ParameterizedTest
  @MethodSource("io.lampone.coprocessor.PlainCalls#all")
  void onTheFastPathTheCallDoesAndTellsWhatItDoesAnywhere(Call call) throws Exception {
    open(PlainClients.FAST_PATH);
    if (call.result() instanceof Code code) {
      assertThatThrownBy(() -> call.body().run(calls))
          .satisfies(error -> assertThat(codeIn(error)).as("%s", error).isEqualTo(code));
    } else {
      assertThat(call.body().run(calls)).isEqualTo(call.result());
    }
    assertThat(calls.left()).isEqualTo(call.left());
    assertThat(calls.get(2))
        .as("the intent is there, and nobody has touched it")
        .containsExactly("2");
    // What regular transactions see is the same.
    assertThat(fast.snapshot(Bytes.of(row(1)), ticks.next())).isEqualTo(calls.get(1));
  }

  /** HBase would answer with the newest cells as they are stored: here, those of an intent. */
  @Test
  void aRepeatedIncrementOrAppendTellsWhatIsVisibleAndAppliesNothing() throws Exception {
    open(PlainClients.FAST_PATH);
    HRegion region = fast.region();
    Increment increment = new Increment(row(1)).addColumn(FAMILY, NUMBER, 5);
    Append append = new Append(row(1)).addColumn(FAMILY, COLUMN, value("x"));
    region.increment(increment, 77, 1);
    region.append(append, 77, 2);
    region.increment(new Increment(row(1)).addColumn(FAMILY, NUMBER, 2), 77, 3);
    long start = ticks.next();
    table.send(fast.flush(start, Bytes.of(row(1)))); // an intent on COLUMN
    Result again = region.increment(new Increment(row(1)).addColumn(FAMILY, NUMBER, 5), 77, 1);
    assertThat(org.apache.hadoop.hbase.util.Bytes.toLong(again.getValue(FAMILY, NUMBER)))
        .isEqualTo(7);
    assertThat(
            values(region.append(new Append(row(1)).addColumn(FAMILY, COLUMN, value("x")), 77, 2)))
        .containsExactly("1x");
    assertThat(
            region
                .increment(
                    new Increment(row(1)).addColumn(FAMILY, NUMBER, 5).setReturnResults(false),
                    77,
                    1)
                .isEmpty())
        .isTrue();
    table.send(
        new AbortLeader(start, base, Bytes.of(row(1)), F, false, Proofs.OPEN.grant(start, 0)));
    assertThat(plain.incrementColumnValue(row(1), FAMILY, NUMBER, 0)).isEqualTo(7);
    assertThat(calls.get(1)).containsExactly("1x");
  }

  @Test
  void aCallOfTooManyCellsIsRefused() throws Exception {
    open(PlainClients.FAST_PATH);
    Increment increment = new Increment(row(4));
    for (int i = 0; i <= RequestLimits.MAX_CELLS; i++) {
      increment.addColumn(FAMILY, value("many" + i), 1);
    }
    Throwable failure = catchThrowable(() -> plain.increment(increment));
    assertThat(TestTable.refusalIn(failure))
        .as("%s", failure)
        .isNotNull()
        .extracting(Refusal::code)
        .isEqualTo(Code.TOO_LARGE);
  }

  /**
   * A region that has just been opened refuses for a while; plain clients come again by themselves.
   */
  @Test
  void afterAMoveAPlainClientIsHeldUpAndNotTurnedAway() throws Exception {
    open(PlainClients.FAST_PATH);
    Configuration patient = new Configuration(cluster.settings());
    patient.setInt("hbase.client.retries.number", 100);
    patient.setInt("hbase.client.operation.timeout", 60_000);
    ExecutorService threads = Executors.newCachedThreadPool();
    cluster.manager().silent(true);
    try (Connection connection = ConnectionFactory.createConnection(patient);
        Table table = connection.getTable(plain.getName())) {
      fast.move();
      List<Action> actions =
          List.of(
              () -> table.put(put(1, "x")),
              () -> table.delete(new Delete(row(3))),
              () -> table.incrementColumnValue(row(4), FAMILY, NUMBER, 5),
              () -> table.append(new Append(row(5)).addColumn(FAMILY, NUMBER, value("x"))),
              () -> table.checkAndMutate(ifEquals(7, "", put(7, "x"))));
      List<Future<?>> ends = new ArrayList<>();
      for (Action action : actions) {
        ends.add(
            threads.submit(
                () -> {
                  action.run();
                  return null;
                }));
      }
      // No version can be drawn: this is what each of them is told meanwhile.
      assertThatThrownBy(() -> plain.put(put(1, "y")))
          .hasStackTraceContaining("RegionTooBusyException");
      assertThat(ends).noneMatch(Future::isDone);
      cluster.manager().silent(false);
      for (Future<?> end : ends) {
        end.get();
      }
    } finally {
      cluster.manager().silent(false);
      threads.shutdownNow();
    }
    assertThat(calls.left()).containsExactly("x");
    assertThat(calls.get(7)).containsExactly("x");
    assertThat(plain.incrementColumnValue(row(4), FAMILY, NUMBER, 0)).isEqualTo(5);
  }

  private static Code codeIn(Throwable error) {
    var refusal = TestTable.refusalIn(error);
    if (refusal == null) {
      for (Throwable cause = error; cause != null; cause = cause.getCause()) {
        if (cause
            instanceof
            org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException several) {
          return codeIn(several.getCause(0));
        }
      }
    }
    return refusal == null ? null : refusal.code();
  }
}
