package io.lampone.faultlab.work;

import io.lampone.checker.Operation;
import io.lampone.client.fastpath.FastPathOperation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Counters. Each increment also appends an element to a list in the same row, atomically: so every
 * reader of a row sees a counter equal to the length of the list, and the checker of the lists
 * checks the counter too. Increments use the fast path and regular transactions.
 */
final class CounterWorkload implements LabWorkload {

  private static final byte[] COUNT = "count".getBytes(StandardCharsets.UTF_8);
  private static final int KINDS = 4;

  private final ListKeys keys = new ListKeys(1);

  @Override
  public void step(LabClientSession session) {
    // Only the first column of a row is a list here.
    long key = keys.any(session.random()) & ~1L;
    switch (session.random().nextInt(KINDS)) {
      case 0 -> fastIncrement(session, key);
      case 1 -> session.fastRead(key, row(key), seen -> compare(session, key, seen));
      case 2 ->
          session.transaction(
              OptionChoice.READ_ONLY, steps -> compare(session, key, read(steps, key)));
      default ->
          session.transaction(
              OptionChoice.any(session.random()), steps -> increment(session, steps, key));
    }
  }

  private static Get row(long key) {
    return new Get(HistoryCells.row(key)).addFamily(HistoryCells.family());
  }

  private static Result read(Steps steps, long key) throws IOException {
    Result result = steps.table(key).get(row(key));
    steps.saw(key, HistoryCells.elements(Steps.value(result, key)));
    return result;
  }

  private void fastIncrement(LabClientSession session, long key) {
    long element = session.stamps().value(0);
    byte[] row = HistoryCells.row(key);
    List<Operation> intended = List.of(new Operation.Append(Long.toString(key), element));
    session.fastWrite(
        StepKind.FAST_WRITE,
        key,
        intended,
        fast -> {
          RowMutations both = new RowMutations(row);
          both.add(
              new Append(row)
                  .addColumn(
                      HistoryCells.family(),
                      HistoryCells.qualifier(key),
                      HistoryCells.bytes(List.of(element))));
          both.add(new Increment(row).addColumn(HistoryCells.family(), COUNT, 1));
          return fast.apply(FastPathOperation.of(both));
        },
        committed -> intended);
  }

  private void increment(LabClientSession session, Steps steps, long key) throws IOException {
    Result before = read(steps, key);
    compare(session, key, before);
    List<Long> list = new ArrayList<>(HistoryCells.elements(Steps.value(before, key)));
    steps.append(key, session.stamps().value(0));
    steps
        .table(key)
        .put(
            new Put(HistoryCells.row(key))
                .addColumn(HistoryCells.family(), COUNT, Bytes.toBytes(list.size() + 1L)));
  }

  private void compare(LabClientSession session, long key, Result seen) {
    keys.saw(key, length(key, seen));
    difference(key, seen).ifPresent(session::violation);
  }

  private static int length(long key, Result seen) {
    return HistoryCells.elements(Steps.value(seen, key)).size();
  }

  /** Returns the inconsistency of a row, the same for every reader. */
  static Optional<String> difference(long key, Result seen) {
    int length = length(key, seen);
    byte[] count = seen.getValue(HistoryCells.family(), COUNT);
    long counted = count == null ? 0 : Bytes.toLong(count);
    return counted == length
        ? Optional.empty()
        : Optional.of(
            "counter: not as large as its list is long, key="
                + key
                + " counter="
                + counted
                + " list="
                + length);
  }
}
