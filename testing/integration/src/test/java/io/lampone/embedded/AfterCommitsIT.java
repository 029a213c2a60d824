package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.COLUMN;
import static io.lampone.embedded.TwoRows.FAMILY;
import static io.lampone.embedded.TwoRows.FOLLOWER;
import static io.lampone.embedded.TwoRows.LEADER;
import static io.lampone.embedded.TwoRows.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lampone.client.LamponeClient;
import io.lampone.client.TransactionOptions;
import io.lampone.embedded.Faults.Fault;
import io.lampone.hbase.RefusalException;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.FinishLeader;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.protocol.request.RegionRequest.Settle;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the work after commits on a real cluster. */
@ExtendWith(SharedCluster.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AfterCommitsIT {

  /** Longest wait on a busy machine. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Transactions that commit at about the same time. */
  private static final int MANY = 30;

  private static final List<RegionRequest> NO_REQUESTS = List.of();

  private final LamponeClient client;
  private final EmbeddedLampone cluster;

  AfterCommitsIT(LamponeClient client, EmbeddedLampone cluster) {
    this.client = client;
    this.cluster = cluster;
  }

  /**
   * A7, A8: the leftovers of many commits are batched, each leader after its followers; and are
   * sent one by one to a server that does not support such a request, e.g. before an upgrade.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theWorkAfterManyCommitsIsDoneTogetherOrPieceByPiece(boolean known) throws Exception {
    TwoRows rows;
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration())) {
      rows = TwoRows.create(client, connection, "after_commits_" + known);
    }
    AtomicInteger together = new AtomicInteger();
    Set<Long> healed = ConcurrentHashMap.newKeySet();
    Set<Long> finished = ConcurrentHashMap.newKeySet();
    Set<Long> tooEarly = ConcurrentHashMap.newKeySet();
    Fault watching =
        new Fault() {
          @Override
          public void before(RegionInfo region, RegionRequest request) throws IOException {
            if (!rows.isIn(region)) {
              return;
            }
            for (RegionRequest one : Faults.parts(request)) {
              if (one instanceof FinishLeader && !healed.contains(one.startTimestamp())) {
                tooEarly.add(one.startTimestamp());
              }
            }
            if (request instanceof Settle) {
              together.incrementAndGet();
              if (!known) {
                throw new RefusalException(
                    Refusal.of(Refusal.Code.MALFORMED, "unknown region request, kind=9"));
              }
            }
          }

          @Override
          public void after(RegionInfo region, RegionRequest request) {
            for (RegionRequest one : rows.isIn(region) ? Faults.parts(request) : NO_REQUESTS) {
              if (one instanceof Heal) {
                healed.add(one.startTimestamp());
              } else if (one instanceof FinishLeader) {
                finished.add(one.startTimestamp());
              }
            }
          }
        };
    String value = "together " + known;
    List<CompletableFuture<Long>> commits = new ArrayList<>();
    try (Faults.Active fault = Faults.add(watching)) {
      for (int i = 0; i < MANY; i++) {
        String number = "-" + i;
        commits.add(
            client.runAsync(
                TransactionOptions.DEFAULT,
                tx ->
                    tx.table(rows.table())
                        .putAll(List.of(put(LEADER + number, value), put(FOLLOWER + number, value)))
                        .thenApply(done -> tx.startTimestamp())));
      }
      for (CompletableFuture<Long> commit : commits) {
        long start = commit.get(60, TimeUnit.SECONDS);
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(finished).contains(start));
      }
    }
    assertThat(tooEarly).isEmpty();
    assertThat(together).hasPositiveValue();
    assertAllIsWrittenAndDecided(rows, value);
  }

  private void assertAllIsWrittenAndDecided(TwoRows rows, String value) throws IOException {
    try (LamponeClient other = LamponeClient.connect(cluster.configuration())) {
      for (int i = 0; i < MANY; i++) {
        List<Get> gets = List.of(get(LEADER + "-" + i), get(FOLLOWER + "-" + i));
        Result[] both = other.run(tx -> tx.table(rows.table()).get(gets));
        assertThat(both)
            .allSatisfy(row -> assertThat(row.getValue(FAMILY, COLUMN)).isEqualTo(bytes(value)));
      }
      assertThat(other.metrics().leaderReads()).as("nothing is undecided").isZero();
    }
  }

  private static Put put(String row, String value) {
    return new Put(bytes(row)).addColumn(FAMILY, COLUMN, bytes(value));
  }

  private static Get get(String row) {
    return new Get(bytes(row)).addColumn(FAMILY, COLUMN);
  }
}
