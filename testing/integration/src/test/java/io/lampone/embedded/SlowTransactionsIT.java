package io.lampone.embedded;

import static io.lampone.embedded.Layout.FAMILY;
import static io.lampone.embedded.RunningCluster.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;

/** What is logged of a transaction that took long. */
@ExtendWith(SharedCluster.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SlowTransactionsIT {

  private static final byte[] Q = bytes("q");
  private static final long SLOW_MILLIS = 3_500;
  private static final byte[] FIRST = bytes("a-slow");
  private static final byte[] SECOND = bytes("z-slow");

  private final EmbeddedLampone cluster;

  SlowTransactionsIT(EmbeddedLampone cluster, LamponeClient unused) {
    this.cluster = cluster;
  }

  @Test
  void aSlowTransactionIsOneLineWithItsPhasesAndAFastOneNone() throws Exception {
    Configuration configuration = new Configuration(cluster.clientConfiguration());
    configuration.set("lampone.client.slow.transaction", "3s");
    ListAppender<ILoggingEvent> written = new ListAppender<>();
    written.start();
    Logger logger = (Logger) LoggerFactory.getLogger("io.lampone.slow");
    logger.setLevel(Level.INFO);
    logger.addAppender(written);
    try (LamponeClient client = LamponeClient.connect(configuration)) {
      Layout.TWO_REGIONS.createTable(client.admin());
      runFast(client);
      written.list.clear(); // the first one of a client may be slow
      runFast(client);
      run(client, SLOW_MILLIS);
      assertThat(written.list).hasSize(1);
      JsonNode line = new ObjectMapper().readTree(written.list.get(0).getFormattedMessage());
      assertThat(line.get("outcome").asText()).isEqualTo("committed");
      assertThat(line.get("millis").asDouble()).isGreaterThan(SLOW_MILLIS);
      double awake = line.get("millis").asDouble() - SLOW_MILLIS;
      for (String phase : new String[] {"operations", "flush", "validate", "leader"}) {
        assertThat(line.get(phase + "Millis").asDouble()).as(phase).isBetween(0.0, awake);
      }
      assertThat(line.get("tables").toString())
          .isEqualTo("[\"" + Layout.TWO_REGIONS.table() + "\"]");
      assertThat(line.get("commitTimestamp").asLong())
          .isGreaterThan(line.get("startTimestamp").asLong());
      assertThat(line.toString()).doesNotContain("slow\"", "a-slow");

      try (Transaction abandoned = client.begin()) {
        abandoned.table(Layout.TWO_REGIONS.table()).get(new Get(FIRST));
        TimeUnit.MILLISECONDS.sleep(SLOW_MILLIS);
      }
      assertThat(written.list).hasSize(2);
      assertThat(written.list.get(1).getFormattedMessage()).contains("\"outcome\":\"rolled back\"");
    } finally {
      logger.detachAppender(written);
    }
  }

  /** Repeats until it was fast: on a busy machine one may be slow, too. */
  private static void runFast(LamponeClient client) throws IOException {
    long begun;
    do {
      begun = System.nanoTime();
      run(client, 0);
    } while (System.nanoTime() - begun > TimeUnit.SECONDS.toNanos(2));
  }

  private static void run(LamponeClient client, long millis) throws IOException {
    client.run(
        TransactionOptions.DEFAULT,
        tx -> {
          tx.table(Layout.TWO_REGIONS.table()).get(new Get(FIRST));
          tx.table(Layout.TWO_REGIONS.table()).put(new Put(FIRST).addColumn(FAMILY, Q, Q));
          tx.table(Layout.TWO_REGIONS.table()).put(new Put(SECOND).addColumn(FAMILY, Q, Q));
          sleep(millis);
          return null;
        });
  }

  private static void sleep(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
