package io.lampone.faultlab.work.large;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.checker.Anomaly;
import io.lampone.checker.AnomalyKind;
import io.lampone.checker.History;
import io.lampone.checker.HistoryTransaction;
import io.lampone.checker.Operation;
import io.lampone.checker.Outcome;
import io.lampone.checker.SnapshotIsolationChecker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Every read of a group finds a store that loses, tears, duplicates or revives data. */
class GroupJudgeTest {

  private static final int LARGEST_CELL = 5_000;
  static final long BEGAN = 1_000;
  private static final long SOON = BEGAN + TimeUnit.SECONDS.toNanos(1);
  private static final Group GROUP = new Group(Group.LONE);

  /** The low bits of a stamp are the number of rows. */
  private static final GroupHeader FIRST = header(1, 40);

  private static final GroupHeader SECOND = header(2, 25);
  private static final GroupHeader THIRD = header(3, 60);

  private final long seed = ThreadLocalRandom.current().nextLong();
  private final Random random = new Random(seed);
  private final List<MemoryTable> tables =
      IntStream.range(0, Group.TABLES).mapToObj(i -> new MemoryTable()).toList();
  private final List<String> violations = new ArrayList<>();

  private static GroupHeader header(long number, int rows) {
    return new GroupHeader(number << 20 | rows, BEGAN);
  }

  @AfterEach
  void tellTheSeed() {
    System.out.println("GroupJudgeTest seed=" + seed);
  }

  @Test
  void everyWayToWriteARowHasTheSameEffect() throws IOException {
    GroupHeader before = new GroupHeader(0, 0);
    for (int i = 1; i < 40; i++) {
      GroupHeader next = header(i, random.nextInt(80));
      write(before, next);
      assertThat(read(SOON)).as("seed=%d", seed).isEqualTo(next.elements());
      assertThat(violations).as("seed=%d", seed).isEmpty();
      before = next;
    }
    assertThat(judgeAll(SOON)).hasSize(Group.COUNT).contains(before.elements());
    assertThat(violations).as("seed=%d", seed).isEmpty();
  }

  @Test
  void theFastPathGivesAHeaderRowTheSameContent() throws IOException {
    Group lone = new Group(0);
    for (long stamp = 1 << 20; stamp < 30 << 20; stamp += 1 << 20) {
      tables.get(0).mutateRow(GroupWriter.atOnce(lone, stamp, LARGEST_CELL, random));
      GroupHeader header = GroupHeader.of(tables.get(0).get(new Get(lone.header())));
      judge(SOON).judge(lone, header);
      assertThat(header.elements()).containsExactly(stamp);
      assertThat(violations).as("seed=%d", seed).isEmpty();
    }
    tables.get(0).rows.get(text(lone.header())).remove("f:v");
    judge(SOON).judge(lone, GroupHeader.of(tables.get(0).get(new Get(lone.header()))));
    assertThat(violations).singleElement().asString().contains("header differs", "f:v");
  }

  @Test
  void aLostRowIsFoundAndTheRegisterIsReadAsWhatItNeverHeld() throws IOException {
    write(new GroupHeader(0, 0), FIRST);
    remove(17);
    assertThat(read(SOON)).hasSize(1).doesNotContain(FIRST.stamp());
    assertThat(violations).singleElement().asString().contains("place=17", "seen=39");
    violations.clear();
    List<Long> implied = judgeAll(SOON).get(GROUP.number());
    assertThat(violations).singleElement().asString().contains("place=17");
    assertThat(kinds(implied)).contains(AnomalyKind.READ_SKEW);
  }

  @Test
  void aRowOfAnEarlierTransactionIsFound() throws IOException {
    write(new GroupHeader(0, 0), FIRST);
    NavigableMap<String, byte[]> old = new TreeMap<>(row(9));
    write(FIRST, SECOND);
    row(9).clear();
    row(9).putAll(old);
    assertThat(read(SOON)).containsExactly(FIRST.stamp());
    assertThat(violations).singleElement().asString().contains("place=9", "of " + FIRST.stamp());
  }

  @Test
  void aDeletedRowThatComesBackIsFound() throws IOException {
    write(new GroupHeader(0, 0), FIRST);
    NavigableMap<String, byte[]> old = new TreeMap<>(row(30));
    write(FIRST, SECOND);
    row(30).putAll(old);
    assertThat(read(SOON)).containsExactly(FIRST.stamp());
    assertThat(violations).singleElement().asString().contains("place=30", "expected=25 seen=26");
  }

  @Test
  void oneColumnThatIsLostOrComesBackIsFound() throws IOException {
    write(new GroupHeader(0, 0), THIRD);
    row(11).remove(RowContent.VALUE);
    row(12).put("g:z", new byte[0]);
    read(SOON);
    assertThat(violations).singleElement().asString().contains("different=2", "f:v", "g:z");
  }

  @Test
  void aValueThatExpiresIsThereUntilThenAndNotAfterwards() throws IOException {
    write(new GroupHeader(0, 0), THIRD);
    assertThat(read(SOON)).containsExactly(THIRD.stamp());
    long late = BEGAN + TimeUnit.SECONDS.toNanos(GroupJudge.LIFETIME_SECONDS + 1);
    read(late);
    assertThat(violations)
        .as("nothing has expired here")
        .singleElement()
        .asString()
        .contains("different=" + RowContent.MORTAL_ROWS, RowContent.MORTAL);
    violations.clear();
    row(3).remove(RowContent.MORTAL);
    assertThat(read(0)).as("own writes").containsExactly(THIRD.stamp());
    assertThat(violations).isEmpty();
    read(SOON);
    assertThat(violations).singleElement().asString().contains("place=3", RowContent.MORTAL);
  }

  @Test
  void aRowThatComesTwiceIsFound() throws IOException {
    write(new GroupHeader(0, 0), THIRD);
    MemoryTable table = tables.get(0);
    table.doubled = text(GROUP.row(6));
    new GroupReader(List.copyOf(tables), judge(SOON), random).readAll(GROUP, current());
    assertThat(violations).anyMatch(text -> text.contains("a row twice or out of order"));
  }

  @Test
  void theCheckerOfTheFileFindsWhatAScanHasShown() throws IOException {
    write(new GroupHeader(0, 0), FIRST);
    NavigableMap<String, byte[]> old = new TreeMap<>(row(9));
    write(FIRST, SECOND);
    assertThat(kinds(read(SOON))).as("all is right").isEmpty();
    row(3).clear();
    assertThat(kinds(read(SOON))).as("a row is lost").contains(AnomalyKind.READ_SKEW);
    row(9).clear();
    row(9).putAll(old);
    assertThat(kinds(read(SOON))).as("a row is old").contains(AnomalyKind.READ_SKEW);
  }

  /** Anomalies of a history in which the second writer's group was read with these elements. */
  private static List<AnomalyKind> kinds(List<Long> seen) {
    String key = Long.toString(GROUP.key());
    List<Operation> reads =
        List.of(new Operation.Read(key, SECOND.elements()), new Operation.Read(key, seen));
    List<HistoryTransaction> all =
        List.of(
            transaction(0, 256, 512, List.of(new Operation.Write(key, FIRST.stamp()))),
            transaction(1, 768, 1_024, List.of(new Operation.Write(key, SECOND.stamp()))),
            transaction(2, 1_280, 0, reads));
    History.Header header = new History.Header(History.Header.REGISTER, "strong-si", 1, 0);
    return SnapshotIsolationChecker.check(new History(header, all, 0, List.of()))
        .anomalies()
        .stream()
        .map(Anomaly::kind)
        .toList();
  }

  private static HistoryTransaction transaction(
      int number, long start, long commit, List<Operation> operations) {
    return new HistoryTransaction(
        number,
        number,
        10L * number,
        10L * number + 5,
        Outcome.OK,
        operations,
        "",
        start,
        commit,
        false,
        false,
        List.of(),
        HistoryTransaction.Freshness.STRICT,
        HistoryTransaction.NO_SESSION);
  }

  private void write(GroupHeader before, GroupHeader after) throws IOException {
    new GroupWriter(List.copyOf(tables), LARGEST_CELL, random, violations::add)
        .write(GROUP, before, after);
  }

  private List<Long> read(long snapshot) throws IOException {
    GroupJudge judge = judge(snapshot);
    GroupHeader header = current();
    judge.judge(GROUP, header);
    return new GroupReader(List.copyOf(tables), judge, random).readAll(GROUP, header);
  }

  private GroupHeader current() {
    return GroupHeader.of(tables.get(0).get(new Get(GROUP.header())));
  }

  private GroupJudge judge(long snapshot) {
    return new GroupJudge(snapshot, LARGEST_CELL, violations::add);
  }

  private List<List<Long>> judgeAll(long snapshot) {
    List<List<Result>> all = new ArrayList<>();
    for (MemoryTable table : tables) {
      List<Result> rows = new ArrayList<>();
      table.rows.keySet().stream()
          .map(key -> table.get(new Get(key.getBytes(StandardCharsets.UTF_8))))
          .filter(row -> !row.isEmpty())
          .forEach(rows::add);
      all.add(rows);
    }
    return judge(snapshot).judgeAll(all);
  }

  private NavigableMap<String, byte[]> row(int place) {
    return tables
        .get(Group.table(place))
        .rows
        .computeIfAbsent(text(GROUP.row(place)), absent -> new TreeMap<>());
  }

  private void remove(int place) {
    row(place).clear();
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
