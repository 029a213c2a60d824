package io.lampone.embedded;

import static io.lampone.embedded.Layout.FAMILY;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lampone.client.ConflictException;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.client.fastpath.FastPathTable;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.ValueFilter;

/**
 * Runs an interleaving of transactions that is written down step by step, and checks what each step
 * sees. Before the first step cell 1 holds 10 and cell 2 holds 20. Steps end with {@code ;} or with
 * the line:
 *
 * <pre>
 *   T1 b              begin
 *   T1 r1=10          read cell 1, which must hold 10; r3=none: it must not be there
 *   T1 w1=11          write 11 to cell 1
 *   T1 d1             delete cell 1
 *   T1 scan(all)=1,2  scan; the cells that satisfy the predicate must be 1 and 2; none: no cell
 *   T1 w(all)+=10     scan, then write to each cell found its value plus 10
 *   T1 w(v=10)=12     scan, then write 12 to each cell found
 *   T1 d(v=20)        scan, then delete each cell found
 *   T1 c              commit, which must succeed
 *   T1 c conflict     commit, which must report a conflict
 *   T1 a              abort: the application rolls back
 *   F w1=11           write, or d1: delete, by the fast path
 *   end 1=11 2=20     what a transaction that begins now sees, and nothing else
 * </pre>
 *
 * Predicates are {@code all}, {@code v=n} and {@code v%n=m}.
 */
final class History {

  private static final Pattern STEP = Pattern.compile("(\\w+) (\\S+)(?: (\\w+))?");
  private static final Pattern CELL_STEP = Pattern.compile("([rwd])(\\d+)(?:=(\\w+))?");
  private static final Pattern PREDICATE_STEP =
      Pattern.compile("(scan|w|d)\\((\\S+)\\)(?:(\\+?=)(\\S+))?");
  private static final Pattern PREDICATE = Pattern.compile("v(?:%(\\d+))?=(\\d+)");
  private static final String NONE = "none";

  private final LamponeClient client;
  private final Layout layout;
  private final String caseName;
  private final TransactionOptions options;
  private final Map<String, Transaction> transactions = new HashMap<>();

  private History(
      LamponeClient client, Layout layout, String caseName, TransactionOptions options) {
    this.client = client;
    this.layout = layout;
    this.caseName = caseName;
    this.options = options;
  }

  /** Sets the two cells, runs the steps, and leaves no transaction open. */
  static void run(LamponeClient client, Layout layout, String caseName, String steps)
      throws IOException {
    run(client, layout, caseName, TransactionOptions.DEFAULT, steps);
  }

  /** The same with transactions that begin with some options. */
  static void run(
      LamponeClient client,
      Layout layout,
      String caseName,
      TransactionOptions options,
      String steps)
      throws IOException {
    History history = new History(client, layout, caseName, options);
    client.run(
        tx -> {
          history.write(tx, 1, 10);
          history.write(tx, 2, 20);
          return null;
        });
    try {
      for (String step : steps.split("[;\n]")) {
        if (!step.isBlank()) {
          history.step(step.strip());
        }
      }
    } catch (AssertionError | IOException | RuntimeException e) {
      throw new AssertionError("case=" + caseName + " layout=" + layout + ": " + e, e);
    } finally {
      for (Transaction open : history.transactions.values()) {
        open.close();
      }
    }
  }

  private void step(String step) throws IOException {
    if (step.startsWith("end ")) {
      checkEnd(step.substring("end ".length()));
      return;
    }
    Matcher parts = matcher(STEP, step);
    String name = parts.group(1);
    String action = parts.group(2);
    if (action.equals("b")) {
      assertThat(transactions.put(name, client.begin(options))).as(step).isNull();
      return;
    }
    if (name.equals("F")) {
      fastStep(matcher(CELL_STEP, action));
      return;
    }
    Transaction tx = transactions.get(name);
    assertThat(tx).as("%s: has not begun", step).isNotNull();
    switch (action) {
      case "c" -> commit(tx, step, parts.group(3));
      case "a" -> tx.rollback();
      default -> {
        if (action.contains("(")) {
          predicateStep(tx, step, matcher(PREDICATE_STEP, action));
        } else {
          cellStep(tx, step, matcher(CELL_STEP, action));
        }
      }
    }
  }

  private static void commit(Transaction tx, String step, String expected) throws IOException {
    if (expected == null) {
      tx.commit();
    } else {
      assertThat(expected).as(step).isEqualTo("conflict");
      assertThatExceptionOfType(ConflictException.class).as(step).isThrownBy(tx::commit);
    }
  }

  private void cellStep(Transaction tx, String step, Matcher parts) throws IOException {
    int cell = Integer.parseInt(parts.group(2));
    switch (parts.group(1)) {
      case "r" -> assertThat(read(tx, cell)).as(step).isEqualTo(parts.group(3));
      case "w" -> write(tx, cell, Integer.parseInt(parts.group(3)));
      default -> delete(tx, cell);
    }
  }

  private void fastStep(Matcher parts) throws IOException {
    int cell = Integer.parseInt(parts.group(2));
    FastPathTable table = client.fastPath().table(layout.table());
    if (parts.group(1).equals("w")) {
      table.put(putOf(cell, Integer.parseInt(parts.group(3))));
    } else {
      table.delete(deleteOf(cell));
    }
  }

  private Put putOf(int cell, int value) {
    return new Put(layout.row(caseName, cell))
        .addColumn(FAMILY, layout.qualifier(caseName, cell), bytes(value));
  }

  private Delete deleteOf(int cell) {
    return new Delete(layout.row(caseName, cell))
        .addColumns(FAMILY, layout.qualifier(caseName, cell));
  }

  private void predicateStep(Transaction tx, String step, Matcher parts) throws IOException {
    SortedMap<Integer, Integer> found = scan(tx, step, parts.group(2));
    for (Map.Entry<Integer, Integer> cell : found.entrySet()) {
      switch (parts.group(1)) {
        case "w" -> {
          int value = Integer.parseInt(parts.group(4));
          boolean adds = parts.group(3).equals("+=");
          write(tx, cell.getKey(), adds ? cell.getValue() + value : value);
        }
        case "d" -> delete(tx, cell.getKey());
        default -> {
          // a plain scan changes nothing
        }
      }
    }
    if (parts.group(1).equals("scan")) {
      String cells = String.join(",", found.keySet().stream().map(Object::toString).toList());
      assertThat(cells.isEmpty() ? NONE : cells).as(step).isEqualTo(parts.group(4));
    }
  }

  private void checkEnd(String expected) throws IOException {
    try (Transaction tx = client.readOnly()) {
      StringBuilder cells = new StringBuilder();
      scan(tx, "end", "all").forEach((cell, v) -> cells.append(' ').append(cell + "=" + v));
      assertThat(cells.toString().strip()).as("end").isEqualTo(expected.strip());
      for (String cell : expected.strip().split(" ")) {
        int number = Integer.parseInt(cell.substring(0, cell.indexOf('=')));
        assertThat(number + "=" + read(tx, number)).as("end, read one by one").isEqualTo(cell);
      }
    }
  }

  private String read(Transaction tx, int cell) throws IOException {
    try (Table table = tx.table(layout.table())) {
      Result result = table.get(layout.get(caseName, cell));
      return result.isEmpty() ? NONE : new String(result.value(), UTF_8);
    }
  }

  private void write(Transaction tx, int cell, int value) throws IOException {
    try (Table table = tx.table(layout.table())) {
      table.put(putOf(cell, value));
    }
  }

  private void delete(Transaction tx, int cell) throws IOException {
    try (Table table = tx.table(layout.table())) {
      table.delete(deleteOf(cell));
    }
  }

  /** Value by number of the cells that satisfy the predicate. */
  private SortedMap<Integer, Integer> scan(Transaction tx, String step, String predicate)
      throws IOException {
    SortedMap<Integer, Integer> found = new TreeMap<>(cells(tx, layout.scan(caseName)));
    if (predicate.equals("all")) {
      return found;
    }
    Matcher parts = matcher(PREDICATE, predicate);
    int wanted = Integer.parseInt(parts.group(2));
    IntPredicate holds =
        parts.group(1) == null
            ? value -> value == wanted
            : value -> value % Integer.parseInt(parts.group(1)) == wanted;
    found.values().removeIf(value -> !holds.test(value));
    if (parts.group(1) == null) {
      Scan filtered =
          layout
              .scan(caseName)
              .setFilter(
                  new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(bytes(wanted))));
      assertThat(cells(tx, filtered)).as("%s, filtered by the server", step).isEqualTo(found);
    }
    return found;
  }

  private SortedMap<Integer, Integer> cells(Transaction tx, Scan scan) throws IOException {
    SortedMap<Integer, Integer> found = new TreeMap<>();
    try (Table table = tx.table(layout.table());
        ResultScanner results = table.getScanner(scan)) {
      for (Result result : results) {
        for (Cell cell : result.rawCells()) {
          String value = new String(CellUtil.cloneValue(cell), UTF_8);
          found.put(layout.cellNumber(cell), Integer.valueOf(value));
        }
      }
    }
    return found;
  }

  private static Matcher matcher(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("not a step: " + text);
    }
    return matcher;
  }

  private static byte[] bytes(int value) {
    return Integer.toString(value).getBytes(UTF_8);
  }
}
