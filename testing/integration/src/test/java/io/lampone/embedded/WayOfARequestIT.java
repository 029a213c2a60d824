package io.lampone.embedded;

import static io.lampone.embedded.RunningCluster.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.Transaction;
import io.lampone.client.fastpath.FastPathTable;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The classes that a put and a commit pass do not become more: top-level ones, of the client and of
 * region servers, values and codecs included. The aim for a put is 20.
 */
@Tag("own-jvm")
class WayOfARequestIT {

  private static final byte[] F = bytes("f");
  private static final int WARM_UP = 20;

  /** Of a write by the fast path; measured 99. */
  private static final int MOST_OF_A_PUT = 105;

  /** Of a transaction that writes in two regions, begin included; measured 143. */
  private static final int MOST_OF_A_COMMIT = 152;

  @TempDir private static Path directory;

  private static RunningCluster cluster;
  private static TableName table;

  @BeforeAll
  static void start() throws IOException {
    MethodTrace.install();
    cluster = RunningCluster.start(directory);
    table = cluster.createTable("way", ConflictLevel.ROW, "m");
  }

  @AfterAll
  static void stop() throws IOException {
    cluster.close();
  }

  @Test
  void fastPathPut_passesFewClasses() throws Exception {
    FastPathTable fast = cluster.client().fastPath().table(table);
    for (int i = 0; i < WARM_UP; i++) {
      fast.put(value("warm-" + i));
    }
    Put put = value("a");
    MethodTrace.start(onTheWay(Thread.currentThread()));
    fast.put(put);
    requireAtMost(MOST_OF_A_PUT, MethodTrace.stop());
  }

  @Test
  void commitOfTwoRegions_passesFewClasses() throws Exception {
    for (int i = 0; i < WARM_UP; i++) {
      commit("b-" + i, "y-" + i);
    }
    MethodTrace.start(onTheWay(Thread.currentThread()));
    commit("c", "z");
    requireAtMost(MOST_OF_A_COMMIT, MethodTrace.stop());
  }

  private static void commit(String first, String second) throws IOException {
    try (Transaction tx = cluster.client().begin()) {
      tx.table(table).put(value(first));
      tx.table(table).put(value(second));
      tx.commit();
    }
  }

  private static Put value(String row) {
    return new Put(bytes(row)).addColumn(F, bytes("q"), bytes("v"));
  }

  /**
   * The caller, and handlers of region servers. The event loop of the transaction manager is left
   * out: its ticks would come in between.
   */
  private static Predicate<Thread> onTheWay(Thread caller) {
    return thread -> thread == caller || thread.getName().startsWith("RpcServer.");
  }

  private static void requireAtMost(int limit, List<String> passed) {
    System.out.println("classes passed: " + passed.size() + " " + passed);
    assertThat(passed).contains("Driver", "TransactionObserver").hasSizeLessThanOrEqualTo(limit);
  }
}
