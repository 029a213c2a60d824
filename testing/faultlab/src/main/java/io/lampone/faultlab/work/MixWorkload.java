package io.lampone.faultlab.work;

import io.lampone.checker.Operation;
import io.lampone.client.fastpath.FastPathOperation;
import io.lampone.client.fastpath.FastPathResult.Committed;
import io.lampone.client.fastpath.RowRead;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.apache.hadoop.hbase.client.Append;

/**
 * Lists that grow by the fast path, by commits in one region and by regular transactions, all on
 * the same keys, of one table or of several. An append applied twice appears twice in a list; a
 * lost one is missing.
 */
final class MixWorkload implements LabWorkload {

  private static final int KINDS = 12;
  private static final int LONGEST_TRANSACTION = 4;

  private final ListKeys keys;

  MixWorkload(ListKeys keys) {
    this.keys = keys;
  }

  @Override
  public void step(LabClientSession session) {
    RandomGenerator random = session.random();
    long key = keys.any(random);
    switch (random.nextInt(KINDS)) {
      case 0 -> fastAppend(session, List.of(key));
      case 1 -> fastAppend(session, List.of(key, ListKeys.neighbour(key)));
      case 2 -> fastReadAndPut(session, key);
      case 3 -> session.fastRead(key, Steps.get(key), seen -> {});
      case 8 -> session.latestRead(key);
      case 9 -> fastTogether(session, List.of(key, ListKeys.below(key)));
      case 10 -> session.transaction(OptionChoice.LATEST, steps -> readGroup(session, steps, key));
      case 11 -> session.transaction(OptionChoice.SESSION, steps -> readGroup(session, steps, key));
      case 4 ->
          session.transaction(
              OptionChoice.SHORTEST,
              steps -> {
                append(session, steps, key);
                append(session, steps, keys.partner(key));
              });
      case 5 -> session.transaction(OptionChoice.READ_ONLY, steps -> look(session, steps));
      case 6 -> session.transaction(OptionChoice.BY_INTENTS, steps -> several(session, steps));
      default -> session.transaction(OptionChoice.SHORTEST, steps -> several(session, steps));
    }
  }

  /** One atomic append of the server's, to one or two columns of a row. */
  private void fastAppend(LabClientSession session, List<Long> columns) {
    Append append = new Append(HistoryCells.row(columns.get(0)));
    List<Operation> intended = new ArrayList<>();
    for (long key : columns) {
      long element = session.stamps().value(0);
      append.addColumn(
          HistoryCells.family(), HistoryCells.qualifier(key), HistoryCells.bytes(List.of(element)));
      intended.add(new Operation.Append(Long.toString(key), element));
    }
    session.fastWrite(
        StepKind.FAST_WRITE,
        columns.get(0),
        intended,
        fast -> fast.append(append),
        committed -> after(columns, intended, committed));
  }

  /** An append to each of several rows of a region: all or none. */
  private static void fastTogether(LabClientSession session, List<Long> rows) {
    List<FastPathOperation> appends = new ArrayList<>();
    List<Operation> intended = new ArrayList<>();
    for (long key : rows) {
      long element = session.stamps().value(0);
      appends.add(
          FastPathOperation.of(
              new Append(HistoryCells.row(key))
                  .addColumn(
                      HistoryCells.family(),
                      HistoryCells.qualifier(key),
                      HistoryCells.bytes(List.of(element)))));
      intended.add(new Operation.Append(Long.toString(key), element));
    }
    session.fastWrite(
        StepKind.FAST_WRITE_TOGETHER,
        rows.get(0),
        intended,
        fast -> fast.applyTogether(appends),
        committed -> intended);
  }

  /** Adds reads of the resulting lists, if the reply contains them. */
  private List<Operation> after(List<Long> columns, List<Operation> done, Committed committed) {
    if (committed.result().isEmpty()) {
      return done;
    }
    List<Operation> all = new ArrayList<>(done);
    for (long key : columns) {
      List<Long> left = HistoryCells.elements(Steps.value(committed.result(), key));
      keys.saw(key, left.size());
      all.add(new Operation.Read(Long.toString(key), left));
    }
    return all;
  }

  private void fastReadAndPut(LabClientSession session, long key) {
    long element = session.stamps().value(0);
    session.fastReadThenWrite(
        key,
        fast -> fast.readForUpdate(Steps.get(key)),
        read ->
            List.of(
                new Operation.Read(Long.toString(key), list(key, read)),
                new Operation.Append(Long.toString(key), element)),
        read -> {
          List<Long> longer = new ArrayList<>(list(key, read));
          keys.saw(key, longer.size());
          longer.add(element);
          FastPathOperation put =
              FastPathOperation.of(Steps.put(key, longer)).ifUnchanged(read.version());
          return fast -> fast.apply(put);
        });
  }

  private static List<Long> list(long key, RowRead read) {
    return HistoryCells.elements(Steps.value(read.result(), key));
  }

  private void several(LabClientSession session, Steps steps) throws IOException {
    RandomGenerator random = session.random();
    for (int left = 1 + random.nextInt(LONGEST_TRANSACTION); left > 0; left--) {
      if (random.nextBoolean()) {
        append(session, steps, keys.any(random));
      } else {
        read(steps, keys.any(random));
      }
    }
  }

  private void look(LabClientSession session, Steps steps) throws IOException {
    for (int left = 1 + session.random().nextInt(LONGEST_TRANSACTION); left > 0; left--) {
      read(steps, keys.any(session.random()));
    }
  }

  /** Reads all keys of a group, together or one after the other. */
  private void readGroup(LabClientSession session, Steps steps, long key) throws IOException {
    if (session.random().nextBoolean()) {
      steps.readAll(keys.group(key)).forEach((each, seen) -> keys.saw(each, seen.size()));
    } else {
      for (long each : keys.group(key)) {
        read(steps, each);
      }
    }
  }

  private void append(LabClientSession session, Steps steps, long key) throws IOException {
    steps.append(key, session.stamps().value(0));
  }

  private void read(Steps steps, long key) throws IOException {
    keys.saw(key, steps.read(key).size());
  }
}
