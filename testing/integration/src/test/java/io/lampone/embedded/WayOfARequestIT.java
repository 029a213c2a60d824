package io.lampone.embedded;

import static io.lampone.embedded.RunningCluster.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.Transaction;
import io.lampone.client.fastpath.FastPathTable;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The classes that a put and a commit pass do not become more: top-level ones, of the client and of
 * region servers, values and codecs included. The aim for a put is 20. The architecture page names
 * the main ones in their order.
 */
@Tag("own-jvm")
class WayOfARequestIT {

  private static final Path PAGE = Path.of("..", "..", "docs", "architecture.md");
  private static final Pattern NUMBERED = Pattern.compile("^\\d+\\. ");
  private static final Pattern NAMED = Pattern.compile("`([A-Z]\\w+)`");

  private static final byte[] F = bytes("f");
  private static final int WARM_UP = 20;
  private static final int TRACES = 25;

  /** On a busy machine it takes more until one has nothing of others in between. */
  private static final int MOST_TRACES = 500;

  /** Of a write by the fast path; measured 105. */
  private static final int MOST_OF_A_PUT = 105;

  /**
   * Of a transaction that writes in two regions, begin included; measured 160, the least of several
   * requests.
   */
  private static final int MOST_OF_A_COMMIT = 160;

  @FunctionalInterface
  private interface Request {
    void send(int number) throws IOException;
  }

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
      fast.put(value("a-" + i)); // the session's first request to a region may be refused once
    }
    List<String> passed =
        shortest(MOST_OF_A_PUT, i -> fast.put(value("a" + i))); // in the same region
    requireAtMost(MOST_OF_A_PUT, passed);
    List<List<String>> way = wayOnThePage("The way of one put");
    requireInOrder(passed, way.get(0));
    requireInOrder(passed, way.get(1));
  }

  @Test
  void commitOfTwoRegions_passesFewClasses() throws Exception {
    for (int i = 0; i < WARM_UP; i++) {
      commit("b-" + i, "y-" + i);
    }
    List<String> passed = shortest(MOST_OF_A_COMMIT, i -> commit("c" + i, "z" + i));
    requireAtMost(MOST_OF_A_COMMIT, passed);
    List<List<String>> way = wayOnThePage("The way of one commit");
    requireInOrder(passed, way.get(0));
    assertThat(passed).containsAll(way.get(1)); // with the work after earlier commits in between
  }

  @Test
  void anotherOrder_isFound() {
    List<String> passed = List.of("A", "B", "C");
    requireInOrder(passed, List.of("A", "C"));
    assertThatThrownBy(() -> requireInOrder(passed, List.of("C", "A")))
        .isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> requireInOrder(passed, List.of("A", "D")))
        .isInstanceOf(AssertionError.class);
  }

  /** Classes of the numbered lists below a heading, list by list; one named again counts once. */
  private static List<List<String>> wayOnThePage(String heading) throws IOException {
    List<List<String>> lists = new ArrayList<>();
    boolean isInside = false;
    for (String line : Files.readAllLines(PAGE)) {
      if (line.startsWith("## ")) {
        isInside = line.equals("## " + heading);
      } else if (isInside && NUMBERED.matcher(line).find()) {
        if (line.startsWith("1. ")) {
          lists.add(new ArrayList<>());
        }
        List<String> names = lists.get(lists.size() - 1);
        NAMED
            .matcher(line)
            .results()
            .map(name -> name.group(1))
            .filter(name -> !names.contains(name))
            .forEach(names::add);
      }
    }
    assertThat(lists).as(heading).hasSize(2);
    return lists;
  }

  /** Returns the shortest way of several requests: at times, work of others is in between. */
  private static List<String> shortest(int limit, Request request) throws IOException {
    List<String> shortest = List.of();
    for (int i = 0; i < TRACES || shortest.size() > limit && i < MOST_TRACES; i++) {
      MethodTrace.start(onTheWay(Thread.currentThread()));
      request.send(i);
      List<String> passed = MethodTrace.stop();
      if (i == 0 || passed.size() < shortest.size()) {
        shortest = passed;
      }
    }
    return shortest;
  }

  private static void requireInOrder(List<String> passed, List<String> named) {
    assertThat(passed).containsSubsequence(named);
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
   * Returns true for the caller, and for handlers of region servers. The event loop of the
   * transaction manager is left out: its ticks would interfere.
   */
  private static Predicate<Thread> onTheWay(Thread caller) {
    return thread -> thread == caller || thread.getName().startsWith("RpcServer.");
  }

  private static void requireAtMost(int limit, List<String> passed) {
    System.out.println("classes passed: " + passed.size() + " " + passed);
    assertThat(passed).contains("Driver", "TransactionObserver").hasSizeLessThanOrEqualTo(limit);
  }
}
