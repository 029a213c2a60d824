package io.lampone.embedded.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.LamponeClient;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.embedded.SharedCluster;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests that flushes and compactions at any safe point leave the reads of every snapshot from the
 * safe point on unchanged. {@code -Dlampone.test.seed=N} runs the history of that seed first, 0
 * that of any seed; {@code -Dlampone.test.collection.histories=N} sets their number, {@code
 * -Dlampone.test.collection.steps=N} makes them longer, {@code
 * -Dlampone.test.collection.every-snapshot=true} reads every snapshot after every step.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 60, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CollectionIT {

  private static final long SEED = 18_000;
  private static final long ANY_SEED = 0;
  private static final int HISTORIES = Integer.getInteger("lampone.test.collection.histories", 1);
  private static final int STEPS = Integer.getInteger("lampone.test.collection.steps", 250);

  private final EmbeddedLampone cluster;
  private final LamponeClient buffering;
  private final LamponeClient streaming;
  private Playground playground;

  CollectionIT(EmbeddedLampone cluster, LamponeClient client) throws IOException {
    this.cluster = cluster;
    this.buffering = client;
    Configuration configuration = cluster.configuration();
    configuration.setLong("lampone.client.buffer.bytes", 0);
    this.streaming = LamponeClient.connect(configuration);
  }

  @BeforeAll
  void open() throws IOException {
    playground = new Playground(cluster, buffering);
  }

  @AfterAll
  void close() throws IOException {
    playground.close();
    streaming.close();
  }

  @Test
  void everySnapshotFromTheSafePointOnReadsWhatItDidBefore() throws IOException {
    long seed = Long.getLong("lampone.test.seed", SEED);
    if (seed == ANY_SEED) {
      seed = new Random().nextLong();
    }
    for (int i = 0; i < HISTORIES; i++) {
      System.err.println("CollectionIT: -Dlampone.test.seed=" + (seed + i));
      CollectionRun run = new CollectionRun(seed + i, cluster, buffering, streaming, playground);
      run.run(STEPS);
      System.err.println("CollectionIT: seed=" + (seed + i) + " " + run);
      assertThat(run.hasCollected()).as(run.toString()).isTrue();
    }
  }
}
