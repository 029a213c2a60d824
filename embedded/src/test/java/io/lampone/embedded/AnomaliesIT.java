package io.lampone.embedded;

import static io.lampone.embedded.Layout.FAMILY;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
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
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * The anomalies of the literature, each as one interleaving, with the outcome that snapshot
 * isolation demands. Cases 1 to 16 are those of the Hermitage test suite (Martin Kleppmann, CC BY
 * 4.0) in our own notation, which {@link History} explains; the others are ours. Each runs with the
 * cells in two regions, in one region, and in one row.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AnomaliesIT {

  private static final int FORK_ROUNDS = 100;

  private final LamponeClient client;
  private final EmbeddedLampone cluster;

  AnomaliesIT(LamponeClient client, EmbeddedLampone cluster) {
    this.client = client;
    this.cluster = cluster;
  }

  /**
   * The transactions of the case write a common cell, or none: all layouts have the same outcome.
   */
  @ParameterizedTest
  @EnumSource
  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  private @interface EveryLayout {}

  /**
   * Both transactions of the case commit although they write: not where all cells lie in one row
   * and a row is what transactions conflict on.
   */
  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "ONE_ROW_LEVEL_ROW")
  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  private @interface EveryLayoutButLevelRow {}

  /** The counterpart of {@link EveryLayoutButLevelRow}. */
  @ParameterizedTest
  @EnumSource(names = "ONE_ROW_LEVEL_ROW")
  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  private @interface LevelRow {}

  @BeforeAll
  void createTables() throws IOException {
    for (Layout layout : Layout.values()) {
      layout.createTable(client.admin());
    }
  }

  /** Case 1, G0: two transactions overwrite each other's writes of two cells. */
  @EveryLayout
  void g0WriteCycle(Layout layout) throws IOException {
    run(
        layout,
        "g0",
        """
        T1 b; T2 b
        T1 w1=11; T2 w1=12
        T1 w2=21; T1 c
        T2 w2=22; T2 c conflict
        end 1=11 2=21
        """);
  }

  /** Case 2, G1a: a write is read whose transaction aborts afterwards. */
  @EveryLayout
  void g1aAbortedRead(Layout layout) throws IOException {
    run(
        layout,
        "g1a",
        """
        T1 b; T2 b
        T1 w1=101; T2 r1=10
        T1 a; T2 r1=10
        T2 c
        end 1=10 2=20
        """);
  }

  /** Case 3, G1b: a value is read that its transaction overwrites afterwards. */
  @EveryLayout
  void g1bIntermediateRead(Layout layout) throws IOException {
    run(
        layout,
        "g1b",
        """
        T1 b; T2 b
        T1 w1=101; T2 r1=10
        T1 w1=11; T1 c
        T2 r1=10; T2 c
        T3 b; T3 r1=11; T3 c
        end 1=11 2=20
        """);
  }

  /**
   * Case 4, G1c: each of two transactions reads what the other writes. What is left is a write
   * skew.
   */
  @EveryLayoutButLevelRow
  void g1cCircularInformationFlow(Layout layout) throws IOException {
    run(
        layout,
        "g1c",
        """
        T1 b; T2 b
        T1 w1=11; T2 w2=22
        T1 r2=20; T2 r1=10
        T1 c; T2 c
        end 1=11 2=22
        """);
  }

  @LevelRow
  void g1cCircularInformationFlowInsideARow(Layout layout) throws IOException {
    run(
        layout,
        "g1c",
        """
        T1 b; T2 b
        T1 w1=11; T2 w2=22
        T1 r2=20; T2 r1=10
        T1 c; T2 c conflict
        end 1=11 2=20
        """);
  }

  /** Case 5, OTV: the effects of a transaction are seen and then are not seen any more. */
  @EveryLayout
  void otvObservedTransactionVanishes(Layout layout) throws IOException {
    run(
        layout,
        "otv",
        """
        T1 b; T2 b; T3 b
        T1 w1=11; T1 w2=19; T2 w1=12
        T1 c; T3 r1=10
        T2 w2=18; T3 r2=20
        T2 c conflict
        T3 r2=20; T3 r1=10; T3 c
        end 1=11 2=19
        """);
  }

  /** Case 6, PMP: a predicate that found nothing finds what was inserted meanwhile. */
  @EveryLayout
  void pmpPredicateManyPreceders(Layout layout) throws IOException {
    run(
        layout,
        "pmp",
        """
        T1 b; T2 b
        T1 scan(v=30)=none
        T2 w3=30; T2 c
        T1 scan(v%3=0)=none
        T1 c
        end 1=10 2=20 3=30
        """);
  }

  /** Case 7, PMP with a write predicate. */
  @EveryLayout
  void pmpPredicateManyPrecedersOfAWrite(Layout layout) throws IOException {
    run(
        layout,
        "pmp-write",
        """
        T1 b; T2 b
        T1 w(all)+=10
        T2 scan(all)=1,2
        T2 r1=10; T2 r2=20
        T2 d(v=20)
        T2 scan(all)=1
        T1 c
        T2 c conflict
        end 1=20 2=30
        """);
  }

  /**
   * Case 8, P4: both read, both write what they have worked out; that it is the same is no excuse.
   */
  @EveryLayout
  void p4LostUpdate(Layout layout) throws IOException {
    run(
        layout,
        "p4",
        """
        T1 b; T2 b
        T1 r1=10; T2 r1=10
        T1 w1=11; T2 w1=11
        T1 c; T2 c conflict
        end 1=11 2=20
        """);
  }

  /** Case 9, G-single: two reads of one transaction see two different states. */
  @EveryLayout
  void gSingleReadSkew(Layout layout) throws IOException {
    run(
        layout,
        "gsingle",
        """
        T1 b; T2 b
        T1 r1=10
        T2 r1=10; T2 r2=20
        T2 w1=12; T2 w2=18; T2 c
        T1 r2=20; T1 c
        end 1=12 2=18
        """);
  }

  /** Case 10, G-single with two predicates. */
  @EveryLayout
  void gSingleReadSkewOfPredicates(Layout layout) throws IOException {
    run(
        layout,
        "gsingle-predicate",
        """
        T1 b; T2 b
        T1 scan(v%5=0)=1,2
        T2 w(v=10)=12; T2 c
        T1 scan(v%3=0)=none
        T1 c
        end 1=12 2=20
        """);
  }

  /** Case 11, G-single: the predicate of a delete finds its cells in the snapshot. */
  @EveryLayout
  void gSingleReadSkewOfAWritePredicate(Layout layout) throws IOException {
    run(
        layout,
        "gsingle-write1",
        """
        T1 b; T2 b
        T1 r1=10
        T2 scan(all)=1,2
        T2 w1=12; T2 w2=18; T2 c
        T1 d(v=20)
        T1 r2=none
        T1 c conflict
        end 1=12 2=18
        """);
  }

  /** Case 12, G-single: a writer that has aborted is in nobody's way. */
  @EveryLayout
  void gSingleReadSkewOfAWritePredicateThatIsAborted(Layout layout) throws IOException {
    run(
        layout,
        "gsingle-write2",
        """
        T1 b; T2 b
        T1 r1=10
        T2 scan(all)=1,2
        T2 w1=12
        T1 d(v=20)
        T2 w2=18
        T1 a; T2 c
        end 1=12 2=18
        """);
  }

  /** Case 13, G2-item: snapshot isolation allows write skew. */
  @EveryLayoutButLevelRow
  void g2ItemWriteSkew(Layout layout) throws IOException {
    run(
        layout,
        "g2-item",
        """
        T1 b; T2 b
        T1 r1=10; T1 r2=20
        T2 r1=10; T2 r2=20
        T1 w1=11; T2 w2=21
        T1 c; T2 c
        end 1=11 2=21
        """);
  }

  @LevelRow
  void g2ItemWriteSkewInsideARow(Layout layout) throws IOException {
    run(
        layout,
        "g2-item",
        """
        T1 b; T2 b
        T1 r1=10; T1 r2=20
        T2 r1=10; T2 r2=20
        T1 w1=11; T2 w2=21
        T1 c; T2 c conflict
        end 1=11 2=20
        """);
  }

  /** Case 14, G2: snapshot isolation allows write skew through predicates. */
  @EveryLayoutButLevelRow
  void g2PredicateWriteSkew(Layout layout) throws IOException {
    run(
        layout,
        "g2",
        """
        T1 b; T2 b
        T1 scan(v%3=0)=none; T2 scan(v%3=0)=none
        T1 w3=30; T2 w4=42
        T1 c; T2 c
        T3 b; T3 scan(v%3=0)=3,4; T3 c
        end 1=10 2=20 3=30 4=42
        """);
  }

  @LevelRow
  void g2PredicateWriteSkewInsideARow(Layout layout) throws IOException {
    run(
        layout,
        "g2",
        """
        T1 b; T2 b
        T1 scan(v%3=0)=none; T2 scan(v%3=0)=none
        T1 w3=30; T2 w4=42
        T1 c; T2 c conflict
        end 1=10 2=20 3=30
        """);
  }

  /** Case 15, G2: the read-only transaction anomaly of Fekete, O'Neil and O'Neil. */
  @EveryLayoutButLevelRow
  void g2TwoEdgesReadOnlyAnomaly(Layout layout) throws IOException {
    run(
        layout,
        "g2-two-edges",
        """
        T1 b; T1 scan(all)=1,2; T1 r1=10; T1 r2=20
        T2 b; T2 w2=25; T2 c
        T3 b; T3 r1=10; T3 r2=25; T3 c
        T1 w1=0; T1 c
        end 1=0 2=25
        """);
  }

  @LevelRow
  void g2TwoEdgesReadOnlyAnomalyInsideARow(Layout layout) throws IOException {
    run(
        layout,
        "g2-two-edges",
        """
        T1 b; T1 scan(all)=1,2; T1 r1=10; T1 r2=20
        T2 b; T2 w2=25; T2 c
        T3 b; T3 r1=10; T3 r2=25; T3 c
        T1 w1=0; T1 c conflict
        end 1=10 2=25
        """);
  }

  /** Case 16, G2: write skew through two different predicates. */
  @EveryLayoutButLevelRow
  void g2DifferentPredicates(Layout layout) throws IOException {
    run(
        layout,
        "g2-predicates",
        """
        T1 b; T2 b
        T1 scan(v%3=0)=none; T2 scan(v%5=0)=1,2
        T1 w3=30; T2 w4=60
        T1 c; T2 c
        end 1=10 2=20 3=30 4=60
        """);
  }

  @LevelRow
  void g2DifferentPredicatesInsideARow(Layout layout) throws IOException {
    run(
        layout,
        "g2-predicates",
        """
        T1 b; T2 b
        T1 scan(v%3=0)=none; T2 scan(v%5=0)=1,2
        T1 w3=30; T2 w4=60
        T1 c; T2 c conflict
        end 1=10 2=20 3=30
        """);
  }

  /** Case a, long fork: what one reader sees of two writers, every later snapshot sees too. */
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
   * Case e, real time: what another client was told is committed is seen by all who begin later.
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
