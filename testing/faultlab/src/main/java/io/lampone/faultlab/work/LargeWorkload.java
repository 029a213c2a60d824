package io.lampone.faultlab.work;

import io.lampone.checker.Operation;
import io.lampone.client.Isolation;
import io.lampone.client.TransactionOptions;
import io.lampone.client.fastpath.FastPathOperation;
import io.lampone.faultlab.work.large.Group;
import io.lampone.faultlab.work.large.GroupHeader;
import io.lampone.faultlab.work.large.GroupJudge;
import io.lampone.faultlab.work.large.GroupReader;
import io.lampone.faultlab.work.large.GroupWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/**
 * Transactions of 1 to 5,000 rows in tables of both conflict levels, and reads of them by scans of
 * all kinds, inside writing transactions, too. A group is written as a whole; its stamp is a
 * register of the history, and each byte of its rows follows from the stamp: see {@link Group}. So
 * the result of a scan is one more read of the register: the checker of histories finds a group
 * that is torn, stale or incomplete.
 *
 * <p>Groups without rows are also written by the fast path.
 */
final class LargeWorkload implements LabWorkload {

  /** Bytes that a cell of the lab's clusters may have. */
  static final int LARGEST_CELL = 1 << 20;

  private static final int OF = 20;
  private static final int MOST_LONE = 4;
  private static final int UNDONE_IN = 3;
  private static final int ROLLED_BACK_IN = 15;
  private static final long LONGEST_REST_MILLIS = 5_000;

  @Override
  public void step(LabClientSession session) {
    RandomGenerator random = session.random();
    switch (random.nextInt(OF)) {
      case 0, 1 -> fastWrite(session, lone(random));
      case 2 -> fastChange(session, lone(random));
      case 3 -> {
        Group group = lone(random);
        session.fastRead(
            group.key(),
            new Get(HistoryCells.row(group.key())),
            seen -> judge(session, 0, session::violation).judge(group, GroupHeader.of(seen)));
      }
      case 4, 5, 6 -> session.transaction(OptionChoice.READ_ONLY, steps -> look(session, steps, 1));
      case 7 -> session.transaction(OptionChoice.READ_ONLY, steps -> lookTwice(session, steps));
      case 8 -> session.transaction(OptionChoice.READ_ONLY, steps -> lookAtAll(session, steps));
      case 9, 10 -> {
        int count = 1 + random.nextInt(MOST_LONE);
        write(session, IntStream.range(0, count).mapToObj(i -> lone(random)).toList());
      }
      case 11 -> write(session, List.of(filled(random), filled(random), lone(random)));
      default -> write(session, List.of(filled(random)));
    }
  }

  private static Group lone(RandomGenerator random) {
    return new Group(random.nextInt(Group.LONE));
  }

  private static Group filled(RandomGenerator random) {
    return new Group(Group.LONE + random.nextInt(Group.COUNT - Group.LONE));
  }

  /** Draws a number of rows whose logarithm is evenly distributed; sometimes none. */
  private static int rows(Group group, RandomGenerator random) {
    return (int) Math.pow(group.mostRows() + 1.0, random.nextDouble())
        - (random.nextInt(OF) == 0 ? 1 : 0);
  }

  private static GroupJudge judge(
      LabClientSession session, long snapshot, Consumer<String> violations) {
    boolean expires = WorkloadKind.LARGE.expires(session.isSerializable());
    return new GroupJudge(expires ? snapshot : 0, LARGEST_CELL, violations);
  }

  private static List<Table> tables(Steps steps) {
    return IntStream.range(0, Group.TABLES)
        .mapToObj(number -> steps.table(HistoryCells.in(number, 0)))
        .toList();
  }

  private static GroupHeader header(Steps steps, Group group) throws IOException {
    GroupHeader header = GroupHeader.of(steps.table(0).get(new Get(HistoryCells.row(group.key()))));
    steps.saw(group.key(), header.elements());
    return header;
  }

  /** Reads some groups, and hands each over to be read again. */
  private static List<Group> look(LabClientSession session, Steps steps, int times)
      throws IOException {
    GroupJudge judge = judge(session, steps.snapshot(), session::violation);
    GroupReader reader = new GroupReader(tables(steps), judge, session.random());
    List<Group> seen = new ArrayList<>();
    for (int i = 0; i < 1 + session.random().nextInt(3); i++) {
      Group group = filled(session.random());
      for (int again = 0; again < times; again++) {
        look(steps, judge, reader, group);
      }
      seen.add(group);
    }
    return seen;
  }

  private static GroupHeader look(Steps steps, GroupJudge judge, GroupReader reader, Group group)
      throws IOException {
    GroupHeader header = header(steps, group);
    judge.judge(group, header);
    steps.saw(group.key(), reader.read(group, header));
    return header;
  }

  /** Between the two reads tables are flushed, compacted and collected. */
  private static void lookTwice(LabClientSession session, Steps steps) throws IOException {
    List<Group> seen = look(session, steps, 2);
    try {
      TimeUnit.MILLISECONDS.sleep(session.random().nextLong(LONGEST_REST_MILLIS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    GroupJudge judge = judge(session, steps.snapshot(), session::violation);
    GroupReader reader = new GroupReader(tables(steps), judge, session.random());
    for (Group group : seen) {
      look(steps, judge, reader, group);
      look(steps, judge, reader, group);
    }
  }

  /** Reads all groups, in one snapshot. */
  private static void lookAtAll(LabClientSession session, Steps steps) throws IOException {
    List<List<Result>> all = new ArrayList<>();
    for (int number = 0; number < Group.TABLES; number++) {
      all.add(steps.rows(number, new Scan().setCaching(1 + session.random().nextInt(500))));
    }
    List<List<Long>> registers = judge(session, steps.snapshot(), session::violation).judgeAll(all);
    for (int number = 0; number < registers.size(); number++) {
      steps.saw(new Group(number).key(), registers.get(number));
    }
  }

  /** Returns options: serializable transactions cannot read a table whose values expire. */
  static TransactionOptions writing(boolean allSerializable, RandomGenerator random) {
    TransactionOptions way = random.nextBoolean() ? OptionChoice.SHORTEST : OptionChoice.BY_INTENTS;
    return allSerializable ? way : way.withIsolation(Isolation.SNAPSHOT);
  }

  /** One transaction that writes groups, and reads them before, and behind its own writes. */
  private static void write(LabClientSession session, List<Group> chosen) {
    RandomGenerator random = session.random();
    // Of own writes: those of a transaction that another one has aborted may be gone.
    List<String> ifCommitted = new ArrayList<>();
    boolean committed =
        session.transaction(
            writing(session.isSerializable(), random),
            steps -> {
              for (int number : new TreeSet<>(chosen.stream().map(Group::number).toList())) {
                write(session, steps, new Group(number), ifCommitted::add);
              }
              if (random.nextInt(ROLLED_BACK_IN) == 0) {
                throw new RolledBackException();
              }
            });
    if (committed) {
      ifCommitted.forEach(session::violation);
    }
  }

  private static void write(
      LabClientSession session, Steps steps, Group group, Consumer<String> ifCommitted)
      throws IOException {
    RandomGenerator random = session.random();
    List<Table> tables = tables(steps);
    GroupJudge judge = judge(session, steps.snapshot(), session::violation);
    GroupReader reader = new GroupReader(tables, judge, random);
    GroupHeader before =
        group.mostRows() > 0 && random.nextInt(3) == 0
            ? look(steps, judge, reader, group)
            : header(steps, group);
    judge.judge(group, before);
    GroupWriter writer = new GroupWriter(tables, LARGEST_CELL, random, ifCommitted);
    if (random.nextInt(UNDONE_IN) == 0) {
      GroupHeader undone = next(session, steps, group);
      steps.undone(() -> writer.write(group, before, undone));
      if (random.nextBoolean()) {
        GroupHeader again = header(steps, group);
        steps.saw(group.key(), reader.readAll(group, again));
      }
    }
    GroupHeader after = next(session, steps, group);
    writer.write(group, before, after);
    steps.wrote(group.key(), after.stamp());
    if (random.nextInt(3) == 0) {
      GroupHeader own = header(steps, group);
      GroupJudge ofOwn = judge(session, 0, ifCommitted);
      ofOwn.judge(group, own);
      steps.saw(group.key(), new GroupReader(tables, ofOwn, random).read(group, own));
    }
  }

  private static GroupHeader next(LabClientSession session, Steps steps, Group group) {
    int rows = group.mostRows() == 0 ? 0 : rows(group, session.random());
    return new GroupHeader(session.stamps().value(rows), steps.snapshot());
  }

  private static void fastWrite(LabClientSession session, Group group) {
    long stamp = session.stamps().value(0);
    List<Operation> intended = List.of(new Operation.Write(Long.toString(group.key()), stamp));
    session.fastWrite(
        StepKind.FAST_WRITE,
        group.key(),
        intended,
        fast -> fast.apply(change(session, group, stamp)),
        committed -> intended);
  }

  private static void fastChange(LabClientSession session, Group group) {
    long stamp = session.stamps().value(0);
    session.fastReadThenWrite(
        group.key(),
        fast -> fast.readForUpdate(new Get(HistoryCells.row(group.key()))),
        read -> {
          GroupHeader header = GroupHeader.of(read.result());
          judge(session, 0, session::violation).judge(group, header);
          return List.of(
              new Operation.Read(Long.toString(group.key()), header.elements()),
              new Operation.Write(Long.toString(group.key()), stamp));
        },
        read -> fast -> fast.apply(change(session, group, stamp).ifUnchanged(read.version())));
  }

  private static FastPathOperation change(LabClientSession session, Group group, long stamp) {
    try {
      return FastPathOperation.of(GroupWriter.atOnce(group, stamp, LARGEST_CELL, session.random()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Deliberate rollback at the end of a transaction. */
  static final class RolledBackException extends IOException {

    private static final long serialVersionUID = 1L;

    RolledBackException() {
      super("rolled back by its client");
    }
  }
}
