package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.FOLLOWER;
import static io.lampone.embedded.TwoRows.NOTHING;
import static io.lampone.embedded.TwoRows.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Table;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Region servers die, one after the other, until none of the first ones is left. */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ServerDeathIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private Path folder;

  /** Each server proves its own session: the death of one must not silence the others. */
  @Test
  void whatWasCommittedSurvivesEveryServerAndTheRestGoesOn() throws Exception {
    try (EmbeddedLampone lampone =
            EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder).build());
        LamponeClient client = LamponeClient.connect(lampone.configuration());
        Connection connection = ConnectionFactory.createConnection(lampone.configuration())) {
      EmbeddedHBase hbase = lampone.hbase();
      TwoRows rows = TwoRows.create(client, connection, "death");
      TwoRows frozen = TwoRows.create(client, connection, "frozen");
      rows.write(client, "first");
      for (int server = 0; server < 2; server++) {
        freeze(lampone, client, frozen);
        try (Transaction open = client.begin()) {
          rows.putBoth(open, "open" + server);
          hbase.startRegionServer();
          hbase.killRegionServer(server);
          hbase.waitUntilAssigned(rows.table());
          hbase.waitUntilAssigned(frozen.table());
          assertThat(frozen.read(client)).isEqualTo("frozen in the log");
          assertThat(rows.read(client)).isEqualTo(server == 0 ? "first first" : "open0 open0");
          open.commit();
        }
        verifyReplayed(lampone, client, frozen);
        assertThat(rows.read(client)).isEqualTo("open" + server + " open" + server);
      }
    }
  }

  /**
   * Leaves rows that were frozen, while the log still has all that was done to them: intents, a
   * delete, heals, and over them a commit that nobody has flushed.
   */
  private static void freeze(EmbeddedLampone lampone, LamponeClient client, TwoRows rows)
      throws Exception {
    rows.write(client, "hidden");
    client.run(
        tx -> {
          rows.put(tx, "deleted", "hidden");
          return null;
        });
    client.run(
        tx -> {
          try (Table table = tx.table(rows.table())) {
            table.delete(new Delete(bytes("deleted")));
          }
          return null;
        });
    rows.write(client, "frozen");
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(lampone.pendingIntents(rows.table())).isEmpty());
    long now;
    try (Transaction last = client.readOnly()) {
      now = last.startTimestamp();
    }
    lampone.advanceSafePoint(now).get(60, TimeUnit.SECONDS);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              lampone.compact(rows.table());
              assertThat(lampone.stored(rows.table()).cells()).isEqualTo(2);
            });
    client.run(
        tx -> {
          rows.put(tx, FOLLOWER, "in the log");
          return null;
        });
  }

  /** A replay brings back what was written after the files, and nothing that had been collected. */
  private static void verifyReplayed(EmbeddedLampone lampone, LamponeClient client, TwoRows rows)
      throws Exception {
    assertThat(rows.read(client)).isEqualTo("frozen in the log");
    try (Transaction tx = client.readOnly()) {
      assertThat(rows.get(tx, "deleted")).isEqualTo(NOTHING);
      lampone.advanceSafePoint(tx.startTimestamp()).get(60, TimeUnit.SECONDS);
    }
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              lampone.compact(rows.table());
              assertThat(lampone.stored(rows.table()).cells()).isEqualTo(2);
            });
    assertThat(rows.read(client)).isEqualTo("frozen in the log");
  }
}
