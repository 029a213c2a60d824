package io.lampone.embedded;

import io.lampone.client.LamponeClient;
import io.lampone.embedded.InLayouts.EveryLayout;
import io.lampone.embedded.InLayouts.EveryLayoutButLevelRow;
import io.lampone.embedded.InLayouts.LevelRow;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The anomalies of the literature, each as one interleaving, with the outcome that snapshot
 * isolation demands: cases 1 to 16 of the Hermitage test suite (Martin Kleppmann, CC BY 4.0) in our
 * own notation, which {@link History} explains. Each runs with the cells in two regions, in one
 * region, and in one row. {@link MoreAnomaliesIT} holds the cases that are ours.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AnomaliesIT {

  private final LamponeClient client;

  AnomaliesIT(LamponeClient client) {
    this.client = client;
  }

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
   * Case 4, G1c: each of two transactions reads the row that the other writes. A write skew
   * remains.
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

  /** Case 8, P4: both read, both write the computed value; equal values are no excuse. */
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

  /** Case 12, G-single: an aborted writer does not block others. */
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

  private void run(Layout layout, String caseName, String steps) throws IOException {
    History.run(client, layout, caseName, steps);
  }
}
