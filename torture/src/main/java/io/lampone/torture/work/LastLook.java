package io.lampone.torture.work;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.history.HistoryWriter;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/**
 * Reads all keys of a workload when the clients have ended, and writes it down as one more
 * transaction; then once more when the tables have been made plain, by HBase's own client: what is
 * left must be the same, and no trace of a transaction besides.
 */
public final class LastLook {

  private static final int KEYS_TOGETHER = 50;

  /** What a transaction cell's column begins with. */
  private static final String RESERVED = "\0lp";

  /** What the column of a key begins with; workloads have others besides. */
  private static final String LIST_OR_REGISTER = "q";

  private final WorkloadKind kind;
  private final List<TableName> names;
  private final Clock clock;

  /**
   * @param names the workload's tables
   */
  public LastLook(WorkloadKind kind, List<TableName> names, Clock clock) {
    this.kind = kind;
    this.names = List.copyOf(names);
    this.clock = clock;
  }

  /**
   * Reads in one snapshot.
   *
   * @param parts where the line about it goes
   * @return what the keys hold
   */
  public Map<Long, List<Long>> read(
      LamponeClient client, Collection<Long> keys, Path parts, long seed) throws IOException {
    Map<Long, List<Long>> found = new HashMap<>();
    Path file = ClientPlan.part(parts, kind, Stamps.LAST_CLIENT);
    try (HistoryWriter writer =
        new HistoryWriter(
            new LineWriter(Files.newBufferedWriter(file)),
            ClientMain.header(kind, names, seed),
            "lampone",
            clock::monotonicNanos)) {
      Recorder recorder =
          new Recorder(
              kind, writer, new Stamps(Stamps.LAST_CLIENT), new Tally(List.of(kind)), clock);
      recorder.begin();
      try (Transaction transaction = client.begin(Options.READ_ONLY)) {
        Steps steps =
            new Steps(names.stream().map(transaction::table).toList(), recorder::violation);
        List<Long> all = new ArrayList<>(keys);
        for (int from = 0; from < all.size(); from += KEYS_TOGETHER) {
          found.putAll(
              steps.readAll(all.subList(from, Math.min(all.size(), from + KEYS_TOGETHER))));
        }
        recorder.lastLook(steps.operations(), transaction.startTimestamp());
      }
    }
    return found;
  }

  /**
   * Compares what plain HBase shows.
   *
   * @param expected what the last transaction has seen
   * @return a line for each difference
   */
  public List<String> compare(Connection connection, Map<Long, List<Long>> expected)
      throws IOException {
    List<String> differences = new ArrayList<>();
    Map<Long, List<Long>> found = new HashMap<>();
    for (int number = 0; number < names.size(); number++) {
      try (Table table = connection.getTable(names.get(number));
          ResultScanner scanner = table.getScanner(new Scan())) {
        for (Result result : scanner) {
          take(number, result, found, differences);
        }
      }
    }
    expected.forEach(
        (key, elements) -> {
          List<Long> plain = found.getOrDefault(key, List.of());
          if (!plain.equals(elements)) {
            differences.add(
                kind.label()
                    + ": the plain table differs from the last snapshot, key="
                    + key
                    + " snapshot="
                    + elements
                    + " plain="
                    + plain);
          }
        });
    found.keySet().stream()
        .filter(key -> !expected.containsKey(key))
        .forEach(key -> differences.add(kind.label() + ": nobody has written it, key=" + key));
    return differences;
  }

  private void take(
      int table, Result result, Map<Long, List<Long>> found, List<String> differences) {
    for (Cell cell : result.rawCells()) {
      String qualifier = new String(CellUtil.cloneQualifier(cell), StandardCharsets.ISO_8859_1);
      if (qualifier.startsWith(RESERVED)) {
        differences.add(
            kind.label()
                + ": a trace of a transaction is left, table="
                + names.get(table)
                + " cell="
                + cell);
      } else if (qualifier.startsWith(LIST_OR_REGISTER) && qualifier.length() == 2) {
        found.put(
            Cells.key(table, CellUtil.cloneRow(cell), CellUtil.cloneQualifier(cell)),
            Cells.elements(CellUtil.cloneValue(cell)));
      }
    }
  }
}
