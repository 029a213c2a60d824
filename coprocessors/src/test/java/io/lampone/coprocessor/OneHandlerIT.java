package io.lampone.coprocessor;

import static io.lampone.coprocessor.FastTable.F;
import static io.lampone.coprocessor.FastTable.Q;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastReply.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * E11: each server has one thread for requests, so a request that waited for another one, here or
 * on the other server, would wait for ever. Ticks run out all the time, and regions move.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OneHandlerIT {

  private static final int ROUNDS = 40;
  private static final int MOVES = 4;

  /** One step of a client. */
  private interface Step {
    void run(int round) throws Exception;
  }

  @Test
  void oneHandlerIsEnoughForEverythingAtOnce() throws Exception {
    try (TinyCluster cluster = new TinyCluster(1)) {
      Ticks ticks = cluster.ticks();
      long base = ticks.next();
      cluster.publish(Ticks.record(base, base));
      TestTable table = new TestTable(cluster.connection(), "one-handler");
      table.createPlain(null, "f", "g");
      table.enable(
          new TableSettings(
              TableSettings.Phase.ENABLED,
              ConflictLevel.ROW,
              base,
              true,
              TableSettings.PlainClients.FAST_PATH));
      FastTable fast = new FastTable(cluster, table, base);
      fast.put(row(0), "warm");
      List<Step> steps =
          List.of(
              round -> applied(fast, row(0), round),
              round -> applied(fast, row(1), round),
              round -> fast.get(row(0), FastReadRequest.of(ticks.next(), 0, true)),
              round -> fast.snapshot(row(round % 3), ticks.next()),
              round -> table.scan(new Scan(), fast.at(ticks.next())),
              round -> plain(cluster, table, round),
              round -> {
                long start = ticks.next();
                table.send(fast.flush(start, row(3)));
                table.send(TestTable.commit(start, base, row(3), F, ticks.next()));
              });
      ExecutorService threads = Executors.newCachedThreadPool();
      try {
        List<Future<?>> clients = new ArrayList<>();
        for (Step step : steps) {
          clients.add(
              threads.submit(
                  () -> {
                    for (int round = 0; round < ROUNDS; round++) {
                      insist(step, round);
                    }
                    return null;
                  }));
        }
        for (int i = 0; i < MOVES; i++) {
          fast.move();
        }
        for (Future<?> client : clients) {
          client.get(2, TimeUnit.MINUTES);
        }
      } finally {
        threads.shutdownNow();
      }
      assertThat(fast.snapshot(row(0), ticks.next())).containsExactly("v" + (ROUNDS - 1));
      assertThat(fast.snapshot(row(3), ticks.next())).containsExactly("tentative");
    }
  }

  private static void applied(FastTable fast, Bytes row, int round) throws IOException {
    assertThat(fast.put(row, "v" + round).kind()).isEqualTo(Kind.COMMITTED);
  }

  private static void plain(TinyCluster cluster, TestTable table, int round) throws IOException {
    try (Table plain = cluster.connection().getTable(table.name())) {
      byte[] row = row(4).toArray();
      plain.put(new Put(row).addColumn(F.toArray(), Bytes.utf8("n").toArray(), new byte[8]));
      assertThat(plain.incrementColumnValue(row, F.toArray(), Q.toArray(), 1))
          .isGreaterThanOrEqualTo(round + 1L);
      plain.get(new Get(row));
    }
  }

  /** A region that moves refuses for a while; whoever waits for another request never ends. */
  private static void insist(Step step, int round) throws Exception {
    Exception last = null;
    for (int i = 0; i < 20; i++) {
      try {
        step.run(round);
        return;
      } catch (IOException | UncheckedIOException e) {
        last = e;
      }
    }
    fail("no attempt succeeded, round=" + round, last);
  }

  private static Bytes row(int number) {
    return Bytes.utf8("row" + number);
  }
}
