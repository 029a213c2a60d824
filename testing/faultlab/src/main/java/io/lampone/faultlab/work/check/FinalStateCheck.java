package io.lampone.faultlab.work.check;

import io.lampone.checker.format.HistoryWriter;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.faultlab.work.ClientTally;
import io.lampone.faultlab.work.HistoryCells;
import io.lampone.faultlab.work.LineWriter;
import io.lampone.faultlab.work.OptionChoice;
import io.lampone.faultlab.work.Recorder;
import io.lampone.faultlab.work.Stamps;
import io.lampone.faultlab.work.StepKind;
import io.lampone.faultlab.work.Steps;
import io.lampone.faultlab.work.WorkloadKind;
import io.lampone.faultlab.work.client.ClientMain;
import io.lampone.faultlab.work.client.ClientPlan;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Reads all keys of a workload after the end of the clients, and records them as one more
 * transaction; then once more when the tables have been made plain, by HBase's own client: the
 * remaining content must be the same, without a trace of a transaction.
 */
public final class FinalStateCheck {

  private static final int KEYS_TOGETHER = 50;

  /** Longest value that is kept as it is. */
  private static final int LONGEST_SHOWN = 1_000;

  /**
   * Result of the last transaction.
   *
   * @param keys contents of the keys of the history
   * @param cells all cells of all tables, including those that a history cannot express
   */
  public record Seen(Map<Long, List<Long>> keys, SortedMap<String, String> cells) {}

  /** Beginning of the column name of a transaction cell, as shown in messages. */
  private static final String RESERVED = ":\\x00lp";

  private final WorkloadKind kind;
  private final List<TableName> names;
  private final Clock clock;
  private final boolean allSerializable;

  /**
   * @param names the workload's tables
   * @param allSerializable true if all transactions that wrote were serializable
   */
  public FinalStateCheck(
      WorkloadKind kind, List<TableName> names, Clock clock, boolean allSerializable) {
    this.allSerializable = allSerializable;
    this.kind = kind;
    this.names = List.copyOf(names);
    this.clock = clock;
  }

  /**
   * Reads in one snapshot: the keys by gets, all rows by scans.
   *
   * @param parts folder of its part of the history, which another attempt begins anew
   * @param violations receives what no history expresses, too
   */
  public Seen read(
      LamponeClient client,
      Collection<Long> keys,
      Path parts,
      long seed,
      Consumer<String> violations)
      throws IOException {
    Map<Long, List<Long>> contents = new HashMap<>();
    SortedMap<String, String> cells = new TreeMap<>();
    Path file = ClientPlan.part(parts, kind, Stamps.LAST_CLIENT);
    try (HistoryWriter writer =
        new HistoryWriter(
            new LineWriter(Files.newBufferedWriter(file)),
            ClientMain.header(kind, names, seed),
            "lampone",
            clock::monotonicNanos)) {
      Recorder recorder =
          new Recorder(
              kind, writer, new Stamps(Stamps.LAST_CLIENT), new ClientTally(List.of(kind)), clock);
      Consumer<String> found = violations.andThen(recorder::violation);
      recorder.begin(StepKind.LAST_LOOK);
      try (Transaction transaction = client.begin(OptionChoice.READ_ONLY)) {
        Steps steps = Steps.of(transaction, names, found);
        List<Long> all = new ArrayList<>(keys);
        for (int from = 0; from < all.size(); from += KEYS_TOGETHER) {
          contents.putAll(
              steps.readAll(all.subList(from, Math.min(all.size(), from + KEYS_TOGETHER))));
        }
        List<List<Result>> tables = new ArrayList<>();
        for (int number = 0; number < names.size(); number++) {
          tables.add(steps.rows(number, new Scan()));
        }
        boolean expires = kind.expires(allSerializable);
        kind.wrong(expires ? transaction.startTimestamp() : 0, tables).forEach(found);
        for (int number = 0; number < names.size(); number++) {
          for (Result row : tables.get(number)) {
            take(number, row, cells);
          }
        }
        recorder.lastLook(steps.operations(), transaction.startTimestamp());
      }
    }
    return new Seen(contents, cells);
  }

  /**
   * Compares the content read by plain HBase.
   *
   * @param expected result of the last transaction
   * @return a line for each difference
   */
  public List<String> compare(Connection connection, Seen expected) throws IOException {
    SortedMap<String, String> plain = new TreeMap<>();
    for (int number = 0; number < names.size(); number++) {
      try (Table table = connection.getTable(names.get(number));
          ResultScanner scanner = table.getScanner(new Scan())) {
        for (Result row : scanner) {
          take(number, row, plain);
        }
      }
    }
    List<String> differences = new ArrayList<>();
    expected.keys.forEach(
        (key, elements) -> {
          if (!elements.isEmpty()) {
            compare(name(key), text(HistoryCells.bytes(elements)), plain, differences);
          }
        });
    expected.cells.forEach((cell, value) -> compare(cell, value, plain, differences));
    plain.forEach(
        (cell, value) -> {
          if (!expected.cells.containsKey(cell)) {
            differences.add(
                kind.label()
                    + (cell.contains(RESERVED)
                        ? ": a trace of a transaction is left, cell="
                        : ": the last snapshot has not seen it, cell=")
                    + cell
                    + " plain="
                    + value);
          }
        });
    return differences.stream().distinct().toList();
  }

  private void compare(
      String cell, String snapshot, Map<String, String> plain, List<String> differences) {
    String found = plain.getOrDefault(cell, "nothing");
    if (!found.equals(snapshot)) {
      differences.add(
          kind.label()
              + ": the plain table differs from the last snapshot, cell="
              + cell
              + " snapshot="
              + snapshot
              + " plain="
              + found);
    }
  }

  /** Values that expire may do so between two reads. */
  private void take(int table, Result row, SortedMap<String, String> cells) {
    for (Cell cell : row.rawCells()) {
      byte[] qualifier = CellUtil.cloneQualifier(cell);
      boolean isTrace = qualifier.length > 0 && qualifier[0] == 0;
      if (!isTrace
          && kind.lifetimes(allSerializable)
              .containsKey(Bytes.toString(CellUtil.cloneFamily(cell)))) {
        continue;
      }
      cells.put(
          name(
              table,
              CellUtil.cloneRow(cell),
              CellUtil.cloneFamily(cell),
              CellUtil.cloneQualifier(cell)),
          text(CellUtil.cloneValue(cell)));
    }
  }

  /** Of a long value its length and a hash: there may be many. */
  private static String text(byte[] value) {
    return value.length <= LONGEST_SHOWN
        ? Bytes.toStringBinary(value)
        : value.length + " bytes " + Integer.toHexString(Arrays.hashCode(value));
  }

  private static String name(long key) {
    return name(
        HistoryCells.table(key),
        HistoryCells.row(key),
        HistoryCells.family(),
        HistoryCells.qualifier(key));
  }

  private static String name(int table, byte[] row, byte[] family, byte[] qualifier) {
    return table
        + "/"
        + Bytes.toStringBinary(row)
        + "/"
        + Bytes.toStringBinary(family)
        + ":"
        + Bytes.toStringBinary(qualifier);
  }
}
