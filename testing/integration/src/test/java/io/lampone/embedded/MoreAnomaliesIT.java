package io.lampone.embedded;

import static io.lampone.embedded.Layout.FAMILY;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.embedded.InLayouts.EveryLayout;
import io.lampone.embedded.InLayouts.EveryLayoutButLevelRow;
import io.lampone.embedded.InLayouts.LevelRow;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Cases like those of {@link AnomaliesIT} that are our own, lettered a to g: long fork, own writes,
 * inserts and deletes, columns of one row, real time, session, blind writes.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MoreAnomaliesIT {

  private static final int FORK_ROUNDS = 100;

  private final LamponeClient client;
  private final EmbeddedLampone cluster;

  MoreAnomaliesIT(LamponeClient client, EmbeddedLampone cluster) {
    this.client = client;
    this.cluster = cluster;
  }

  @BeforeAll
  void createTables() throws IOException {
    for (Layout layout : Layout.values()) {
      layout.createTable(client.admin());
    }
  }

  /** Case a, long fork: every later snapshot sees the order of two writers that one reader saw. */
  @EveryLayoutButLevelRow
  void longForkStepByStep(Layout layout) throws IOException {
    run(
        layout,
        "long-fork",
        """
        T1 b; T2 b
        T1 w1=11; T2 w2=22
        T1 c; T3 b
        T2 c; T4 b
        T4 r2=22; T4 r1=11; T4 c
        T3 r1=11; T3 r2=20; T3 c
        end 1=11 2=22
        """);
  }

  /** Case a again: the writers and the readers run at the same time. */
  @EveryLayoutButLevelRow
  void longForkNeverHappensInARace(Layout layout) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      for (int round = 1; round <= FORK_ROUNDS; round++) {
        String before = Integer.toString(round - 1);
        String after = Integer.toString(round);
        CyclicBarrier start = new CyclicBarrier(4);
        Callable<List<String>> writer1 = () -> writeForkCell(start, layout, 1, after);
        Callable<List<String>> writer2 = () -> writeForkCell(start, layout, 2, after);
        Callable<List<String>> reader = () -> readForkCells(start, layout);
        List<Future<List<String>>> ends =
            threads.invokeAll(List.of(writer1, writer2, reader, reader));
        ends.get(0).get();
        ends.get(1).get();
        List<List<String>> seen = List.of(ends.get(2).get(), ends.get(3).get());
        assertThat(seen)
            .as("round %d: one reader sees only the first writer, one only the second", round)
            .doesNotContainSequence(List.of(after, before), List.of(before, after))
            .doesNotContainSequence(List.of(before, after), List.of(after, before));
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private List<String> writeForkCell(CyclicBarrier start, Layout layout, int cell, String value)
      throws Exception {
    start.await();
    client.run(
        tx -> {
          put(tx, layout, "fork-race", cell, value);
          return null;
        });
    return List.of();
  }

  private List<String> readForkCells(CyclicBarrier start, Layout layout) throws Exception {
    start.await();
    try (Transaction tx = client.readOnly()) {
      return List.of(get(tx, layout, "fork-race", 1), get(tx, layout, "fork-race", 2));
    }
  }

  /** Case b: a transaction reads its own writes and deletes, by get and by scan. */
  @EveryLayout
  void ownWritesAndDeletesAreReadBack(Layout layout) throws IOException {
    run(
        layout,
        "own-writes",
        """
        T1 b
        T1 w1=11; T1 r1=11
        T1 d2; T1 r2=none
        T1 w3=33; T1 scan(all)=1,3
        T1 d3; T1 scan(all)=1
        T1 w2=22; T1 scan(v=22)=2
        T2 b; T2 scan(all)=1,2; T2 r1=10; T2 r2=20; T2 c
        T1 c
        end 1=11 2=22
        """);
  }

  /** Case c: two inserts of one absent cell. */
  @EveryLayout
  void twoInsertsOfOneCellConflict(Layout layout) throws IOException {
    run(
        layout,
        "insert-insert",
        """
        T1 b; T2 b
        T1 r3=none; T2 r3=none
        T1 w3=31; T2 w3=32
        T2 c; T1 c conflict
        end 1=10 2=20 3=32
        """);
  }

  /** Case c: a delete and an update of one cell, the delete first. */
  @EveryLayout
  void anUpdateOfADeletedCellConflicts(Layout layout) throws IOException {
    run(
        layout,
        "delete-update",
        """
        T1 b; T2 b
        T1 d1; T2 w1=12
        T1 c; T2 c conflict
        end 2=20
        """);
  }

  /** Case c: a delete and an update of one cell, the update first. */
  @EveryLayout
  void aDeleteOfAnUpdatedCellConflicts(Layout layout) throws IOException {
    run(
        layout,
        "update-delete",
        """
        T1 b; T2 b
        T1 d1; T2 w1=12
        T2 c; T1 c conflict
        end 1=12 2=20
        """);
  }

  /** Case c: two deletes of a cell that is not there. */
  @EveryLayout
  void twoDeletesOfAnAbsentCellConflict(Layout layout) throws IOException {
    run(
        layout,
        "delete-delete",
        """
        T1 b; T2 b
        T1 d3; T2 d3
        T1 c; T2 c conflict
        end 1=10 2=20
        """);
  }

  /** Case d: two columns of one row, level CELL: both commit. */
  @ParameterizedTest
  @EnumSource(names = "ONE_ROW_LEVEL_CELL")
  void twoColumnsOfOneRowCommitBothAtLevelCell(Layout layout) throws IOException {
    run(
        layout,
        "two-columns",
        """
        T1 b; T2 b
        T1 w1=11; T2 w2=22
        T1 c; T2 c
        end 1=11 2=22
        """);
  }

  /** Case d: two columns of one row, level ROW: the second aborts. */
  @LevelRow
  void twoColumnsOfOneRowConflictAtLevelRow(Layout layout) throws IOException {
    run(
        layout,
        "two-columns",
        """
        T1 b; T2 b
        T1 w1=11; T2 w2=22
        T1 c; T2 c conflict
        end 1=11 2=20
        """);
  }

  /**
   * Case e, real time: a commit acknowledged to another client is visible to all later
   * transactions.
   */
  @EveryLayout
  void aCommitIsSeenByEveryClientThatBeginsLater(Layout layout) throws IOException {
    try (LamponeClient other = LamponeClient.connect(cluster.configuration())) {
      for (int round = 0; round < 20; round++) {
        String value = Integer.toString(round);
        int cell = 1 + round % 2;
        LamponeClient writer = round % 4 < 2 ? client : other;
        LamponeClient reader = round % 4 < 2 ? other : client;
        try (Transaction tx = writer.begin()) {
          put(tx, layout, "real-time", cell, value);
          tx.commit();
        }
        try (Transaction tx = reader.readOnly()) {
          assertThat(get(tx, layout, "real-time", cell)).as("round %d", round).isEqualTo(value);
        }
      }
    }
  }

  /** Case f: a client sees its own last commit. */
  @EveryLayout
  void aClientSeesItsOwnLastCommit(Layout layout) throws IOException {
    run(
        layout,
        "own-session",
        """
        T1 b; T1 w1=11; T1 c
        T2 b; T2 r1=11; T2 w1=12; T2 w2=22; T2 c
        T3 b; T3 r1=12; T3 r2=22; T3 d1; T3 c
        T4 b; T4 r1=none; T4 c
        end 2=22
        """);
  }

  /** Case g: two blind writes of one cell. */
  @EveryLayout
  void twoBlindWritesOfOneCellConflict(Layout layout) throws IOException {
    run(
        layout,
        "blind",
        """
        T1 b; T2 b
        T2 w2=22; T1 w2=21
        T2 c; T1 c conflict
        end 1=10 2=22
        """);
  }

  private void run(Layout layout, String caseName, String steps) throws IOException {
    History.run(client, layout, caseName, steps);
  }

  private static void put(Transaction tx, Layout layout, String caseName, int cell, String value)
      throws IOException {
    try (Table table = tx.table(layout.table())) {
      table.put(
          new Put(layout.row(caseName, cell))
              .addColumn(FAMILY, layout.qualifier(caseName, cell), value.getBytes(UTF_8)));
    }
  }

  /** The value of a cell, 0 if it is not there. */
  private static String get(Transaction tx, Layout layout, String caseName, int cell)
      throws IOException {
    try (Table table = tx.table(layout.table())) {
      byte[] value = table.get(layout.get(caseName, cell)).value();
      return value == null ? "0" : new String(value, UTF_8);
    }
  }
}
