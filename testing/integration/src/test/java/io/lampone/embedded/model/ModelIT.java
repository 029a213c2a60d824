package io.lampone.embedded.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lampone.client.LamponeClient;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.embedded.SharedCluster;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Result;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Random transactions against a model: every read, and the success of every commit, is predicted.
 * Transactions are abandoned with their intents in place, the work after commits is lost, regions
 * are flushed, compacted and moved, and none of that may be visible.
 *
 * <p>The run is divided into episodes, each on new tables and with a separate seed, which a failure
 * prints. {@code -Dlampone.test.seed=N} runs the episode of that seed first, 0 that of any seed,
 * {@code -Dlampone.test.operations=N} sets the number of operations, {@code
 * -Dlampone.test.episode=N} that of an episode.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 60, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ModelIT {

  /** Default seed: a build fails because of a change, not by chance. */
  private static final long SEED = 41_000;

  /** Requests a new random seed. */
  private static final long ANY_SEED = 0;

  private static final int OPERATIONS = Integer.getInteger("lampone.test.operations", 50_000);

  /** The longer an episode, the more versions each read passes over. */
  private static final int OPERATIONS_OF_AN_EPISODE =
      Integer.getInteger("lampone.test.episode", 2_000);

  private static final int THREADS = Integer.getInteger("lampone.test.threads", 4);
  private static final List<ConflictLevel> LEVELS = List.of(ConflictLevel.ROW, ConflictLevel.CELL);

  private final EmbeddedLampone cluster;
  private final LamponeClient buffering;
  private final LamponeClient streaming;
  private Playground playground;

  ModelIT(EmbeddedLampone cluster, LamponeClient client) throws IOException {
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
  void randomTransactionsSeeAndEndAsTheModelSays() throws Exception {
    long seed = Long.getLong("lampone.test.seed", SEED);
    if (seed == ANY_SEED) {
      seed = new Random().nextLong();
    }
    System.err.println(
        "ModelIT: -Dlampone.test.seed="
            + seed
            + " -Dlampone.test.episode="
            + OPERATIONS_OF_AN_EPISODE);
    int episodes = Math.max(1, OPERATIONS / OPERATIONS_OF_AN_EPISODE);
    AtomicInteger next = new AtomicInteger();
    AtomicLong seeds = new AtomicLong(seed);
    Worker.Tally all = new Worker.Tally();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    List<Future<Void>> ends = new ArrayList<>();
    Callable<Void> loop =
        () -> {
          while (next.getAndIncrement() < episodes) {
            Worker.Tally tally =
                episode(seeds.getAndIncrement(), LEVELS, UnaryOperator.identity())
                    .run(OPERATIONS_OF_AN_EPISODE);
            synchronized (all) {
              all.add(tally);
            }
          }
          return null;
        };
    try {
      for (int i = 0; i < THREADS; i++) {
        ends.add(threads.submit(loop));
      }
      for (Future<Void> end : ends) {
        end.get();
      }
    } finally {
      threads.shutdownNow();
      System.err.println("ModelIT: seed=" + seed + " " + all);
    }
    assertThat(all.operations).isGreaterThanOrEqualTo(episodes * OPERATIONS_OF_AN_EPISODE);
    assertThat(all.committed).isPositive();
    assertThat(all.conflicts).isPositive();
    assertThat(all.earlyConflicts).isPositive();
    assertThat(all.abandoned).isPositive();
    assertThat(all.disturbances).isPositive();
  }

  /** The test of the test: one cell is missing in one answer. */
  @Test
  void aWrongAnswerIsFoundAndTheSeedIsPrinted() throws IOException {
    AtomicInteger answers = new AtomicInteger();
    UnaryOperator<Result> forgetful =
        result ->
            !result.isEmpty() && answers.incrementAndGet() == 50
                ? Result.create(result.listCells().subList(1, result.size()))
                : result;
    Worker worker = episode(1, LEVELS, forgetful);
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> worker.run(OPERATIONS_OF_AN_EPISODE))
        .withMessageContaining("seed=1 ")
        .withMessageContaining("expected");
  }

  /** The test of the test: the model has another conflict level than the tables. */
  @Test
  void aCommitThatTheModelForbidsIsFound() throws IOException {
    Worker worker =
        episode(2, List.of(ConflictLevel.ROW, ConflictLevel.ROW), UnaryOperator.identity());
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> worker.run(OPERATIONS_OF_AN_EPISODE))
        .withMessageContaining("commits")
        .withMessageContaining("a conflict");
  }

  /** The test of the test: the model allows a commit that the tables must refuse. */
  @Test
  void aConflictThatTheModelRulesOutIsFound() throws IOException {
    Worker worker =
        episode(3, List.of(ConflictLevel.CELL, ConflictLevel.CELL), UnaryOperator.identity());
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> worker.run(OPERATIONS_OF_AN_EPISODE))
        .withMessageContaining("no conflict");
  }

  private Worker episode(long seed, List<ConflictLevel> believed, UnaryOperator<Result> tamper)
      throws IOException {
    Playground.Tables tables = playground.createTables(LEVELS);
    return new Worker(
        seed, List.of(buffering, streaming), tables.names(), believed, tables, tamper);
  }
}
