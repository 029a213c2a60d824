package io.lampone.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lampone.client.ConflictException;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.client.fastpath.FastPath;
import io.lampone.client.fastpath.FastPathTable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The paper's Figures 2 and 3 with three clients: T1 is a regular transaction, FP1 and FP2 are
 * operations of the fast path, x and y are on two region servers.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FastPathFiguresIT {

  private static final String X = TwoRows.LEADER;
  private static final String Y = TwoRows.FOLLOWER;
  private static final int ROUNDS = 40;

  private final LamponeClient client;
  private final EmbeddedLampone cluster;
  private LamponeClient first;
  private LamponeClient second;
  private TwoRows rows;
  private int round;

  FastPathFiguresIT(LamponeClient client, EmbeddedLampone cluster) {
    this.client = client;
    this.cluster = cluster;
  }

  @BeforeAll
  void start() throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration())) {
      rows = TwoRows.create(client, connection, "figures");
      List<RegionInfo> regions = connection.getAdmin().getRegions(rows.table());
      for (int i = 0; i < regions.size(); i++) {
        cluster.hbase().moveRegion(regions.get(i), i);
      }
    }
    first = LamponeClient.connect(cluster.configuration());
    second = LamponeClient.connect(cluster.configuration());
    put(first.fastPath(), X, "old");
    put(second.fastPath(), Y, "old");
  }

  @AfterAll
  void stop() throws IOException {
    first.close();
    second.close();
  }

  /** Action between FP1 and FP2. */
  private interface Between {
    void pass() throws IOException;
  }

  /**
   * The schedule of Figure 2: T1 reads x, FP1 writes x, FP2 writes y, T1 reads y.
   *
   * @return true if T1 saw FP2 although it does not see FP1, which returned before FP2 began
   */
  private boolean reordered(FastPath fp1, Between between, FastPath fp2) throws IOException {
    String value = "round" + round++;
    // The server of y has its next versions from before T1 begins.
    put(second.fastPath(), Y, "old");
    try (Transaction t1 = client.begin()) {
      final String x = rows.get(t1, X);
      put(fp1, X, value);
      between.pass();
      put(fp2, Y, value);
      String y = rows.get(t1, Y);
      assertThat(rows.get(t1, X)).isEqualTo(x);
      return y.equals(value);
    }
  }

  @Test
  void figure2TwoClientsThatHaveNotHeardOfEachOtherMayBeReordered() throws IOException {
    int seen = 0;
    for (int i = 0; i < ROUNDS; i++) {
      seen += reordered(first.fastPath(), () -> {}, second.fastPath()) ? 1 : 0;
    }
    assertThat(seen).as("else this test shows nothing").isPositive();
  }

  @Test
  void figure2NeverWithinOneSession() throws IOException {
    for (int i = 0; i < ROUNDS; i++) {
      assertThat(reordered(first.fastPath(), () -> {}, first.fastPath())).isFalse();
    }
  }

  @Test
  void figure2NeverWhenTheTokenIsHandedOver() throws IOException {
    for (int i = 0; i < ROUNDS; i++) {
      assertThat(
              reordered(
                  first.fastPath(), () -> second.observe(first.causalToken()), second.fastPath()))
          .isFalse();
    }
  }

  @Test
  void figure2NeverInStrictOrder() throws IOException {
    for (int i = 0; i < ROUNDS; i++) {
      assertThat(reordered(first.fastPath(), () -> {}, second.fastPath().strict())).isFalse();
    }
  }

  /** The order within a session holds although one of its operations is a regular transaction. */
  @Test
  void figure2NeverWhenOneOfTheTwoIsARegularTransactionOfTheSameClient() throws IOException {
    for (int i = 0; i < ROUNDS; i++) {
      String value = "mixed" + i;
      put(second.fastPath(), Y, "old");
      try (Transaction t1 = client.begin()) {
        rows.get(t1, X);
        first.run(
            tx -> {
              rows.put(tx, X, value);
              return null;
            });
        put(first.fastPath(), Y, value);
        assertThat(rows.get(t1, Y)).isNotEqualTo(value);
      }
    }
  }

  /** T1 reads x, FP1 writes x, T1 writes x: T1 finds the conflict, whichever way it commits. */
  @Test
  void figure3TheRegularTransactionFindsTheConflict() throws IOException {
    for (TransactionOptions options :
        List.of(TransactionOptions.DEFAULT, TransactionOptions.DEFAULT.withoutOneRegionCommit())) {
      for (int i = 0; i < ROUNDS; i++) {
        String value = "figure3." + i;
        try (Transaction t1 = client.begin(options)) {
          rows.get(t1, X);
          put(first.fastPath(), X, value);
          rows.put(t1, X, "lost update");
          assertThatExceptionOfType(ConflictException.class).isThrownBy(t1::commit);
        }
        assertThat(get(first.fastPath(), X)).isEqualTo(value);
      }
    }
  }

  private void put(FastPath path, String row, String value) throws IOException {
    FastPathTable table = path.table(rows.table());
    table.put(
        new Put(TwoRows.bytes(row))
            .addColumn(TwoRows.FAMILY, TwoRows.COLUMN, TwoRows.bytes(value)));
  }

  private String get(FastPath path, String row) throws IOException {
    Result result = path.table(rows.table()).get(new Get(TwoRows.bytes(row)));
    return new String(result.getValue(TwoRows.FAMILY, TwoRows.COLUMN), StandardCharsets.UTF_8);
  }
}
