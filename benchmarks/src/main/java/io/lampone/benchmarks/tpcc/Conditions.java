package io.lampone.benchmarks.tpcc;

import io.lampone.benchmarks.oltp.OltpRow;
import io.lampone.client.Transaction;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.jspecify.annotations.Nullable;

/**
 * Consistency conditions 1 to 10 and 12 of the specification (sections 3.3.2.1 to 3.3.2.10 and
 * 3.3.2.12), on one snapshot of the whole database, which is held in memory.
 */
final class Conditions {

  static final List<String> NAMES =
      List.of(
          "condition 1: W_YTD = sum(D_YTD)",
          "condition 2: D_NEXT_O_ID - 1 = max(O_ID) = max(NO_O_ID)",
          "condition 3: NEW-ORDER has no gap",
          "condition 4: sum(O_OL_CNT) = order lines of the district",
          "condition 5: no carrier exactly if in NEW-ORDER",
          "condition 6: O_OL_CNT = order lines of the order",
          "condition 7: no delivery date exactly if no carrier",
          "condition 8: W_YTD = sum(H_AMOUNT)",
          "condition 9: D_YTD = sum(H_AMOUNT)",
          "condition 10: C_BALANCE = delivered - paid",
          "condition 12: C_BALANCE + C_YTD_PAYMENT = delivered");

  private static final int WAREHOUSE = 1;
  private static final int DISTRICT = 2;
  private static final int THREE_NUMBERS = 3;

  /** Limit of the violations reported; the others are alike. */
  private static final int MOST_VIOLATIONS = 20;

  private final List<String> violations = new ArrayList<>();

  private final Map<List<Integer>, Long> warehouseYtd = new HashMap<>();
  private final Map<List<Integer>, OltpRow> districts = new HashMap<>();
  private final Map<List<Integer>, OltpRow> customers = new HashMap<>();
  private final Map<List<Integer>, OltpRow> orders = new HashMap<>();
  private final Set<List<Integer>> waiting = new HashSet<>();

  /** Lines of each order, those delivered, and the sum of their amounts. */
  private final Map<List<Integer>, Long> lines = new HashMap<>();

  private final Map<List<Integer>, Long> deliveredLines = new HashMap<>();
  private final Map<List<Integer>, Long> deliveredAmount = new HashMap<>();

  /** Payments by warehouse or district of the payment, and by paying customer. */
  private final Map<List<Integer>, Long> paidAt = new HashMap<>();

  private final Map<String, Long> paidBy = new HashMap<>();

  private Conditions() {}

  /** Reads all tables. */
  static Conditions read(Transaction transaction) throws IOException {
    Conditions read = new Conditions();
    each(
        transaction,
        Tables.WAREHOUSE,
        row -> read.warehouseYtd.put(key(row, WAREHOUSE), row.number("ytd")));
    each(transaction, Tables.DISTRICT, row -> read.districts.put(key(row, DISTRICT), row));
    each(transaction, Tables.CUSTOMER, row -> read.customers.put(key(row, THREE_NUMBERS), row));
    each(transaction, Tables.ORDER, row -> read.orders.put(key(row, THREE_NUMBERS), row));
    each(transaction, Tables.NEW_ORDER, row -> read.waiting.add(key(row, THREE_NUMBERS)));
    each(transaction, Tables.ORDER_LINE, read::line);
    each(transaction, Tables.HISTORY, read::payment);
    return read;
  }

  /** Consumer of a row. */
  private interface Reader {
    void accept(OltpRow row);
  }

  private static void each(Transaction transaction, TableName table, Reader reader)
      throws IOException {
    try (ResultScanner rows = transaction.table(table).getScanner(new Scan())) {
      for (Result row : rows) {
        reader.accept(OltpRow.of(row));
      }
    }
  }

  private void line(OltpRow row) {
    List<Integer> order = key(row, THREE_NUMBERS);
    lines.merge(order, 1L, Long::sum);
    if (row.has("delivery_d")) {
      deliveredLines.merge(order, 1L, Long::sum);
      deliveredAmount.merge(order, row.number("amount"), Long::sum);
    }
  }

  private void payment(OltpRow row) {
    long amount = row.number("amount");
    paidAt.merge(key(row, WAREHOUSE), amount, Long::sum);
    paidAt.merge(key(row, DISTRICT), amount, Long::sum);
    paidBy.merge(row.text("c"), amount, Long::sum);
  }

  private static List<Integer> key(OltpRow row, int numbers) {
    List<Integer> key = new ArrayList<>();
    for (int place = 0; place < numbers; place++) {
      key.add(row.keyNumber(place));
    }
    return List.copyOf(key);
  }

  /** Returns the violated conditions. */
  List<String> violations() {
    warehouses();
    districts();
    orders();
    customers();
    return violations.size() <= MOST_VIOLATIONS
        ? violations
        : violations.subList(0, MOST_VIOLATIONS);
  }

  private void warehouses() {
    if (warehouseYtd.isEmpty()) {
      violations.add("there is no warehouse");
    }
    Map<List<Integer>, Long> ofDistricts = new HashMap<>();
    districts.forEach(
        (key, row) -> ofDistricts.merge(key.subList(0, WAREHOUSE), row.number("ytd"), Long::sum));
    warehouseYtd.forEach(
        (key, ytd) -> {
          require(1, key, ytd, ofDistricts.get(key));
          require(8, key, ytd, paidAt.get(key));
        });
  }

  private void districts() {
    Map<List<Integer>, Integer> lastOrder = new HashMap<>();
    Map<List<Integer>, Long> linesToldByOrders = new HashMap<>();
    orders.forEach(
        (key, row) -> {
          lastOrder.merge(key.subList(0, DISTRICT), key.get(DISTRICT), Math::max);
          linesToldByOrders.merge(key.subList(0, DISTRICT), row.number("ol_cnt"), Long::sum);
        });
    Map<List<Integer>, Integer> firstWaiting = new HashMap<>();
    Map<List<Integer>, Integer> lastWaiting = new HashMap<>();
    Map<List<Integer>, Long> waitingCount = new HashMap<>();
    for (List<Integer> key : waiting) {
      List<Integer> district = key.subList(0, DISTRICT);
      firstWaiting.merge(district, key.get(DISTRICT), Math::min);
      lastWaiting.merge(district, key.get(DISTRICT), Math::max);
      waitingCount.merge(district, 1L, Long::sum);
    }
    Map<List<Integer>, Long> lineCount = new HashMap<>();
    lines.forEach((key, count) -> lineCount.merge(key.subList(0, DISTRICT), count, Long::sum));
    districts.forEach(
        (key, row) -> {
          long last = row.number("next_o_id") - 1;
          require(2, key, last, number(lastOrder.get(key)));
          if (waitingCount.containsKey(key)) { // else all have been delivered
            require(2, key, last, number(lastWaiting.get(key)));
            long span = number(lastWaiting.get(key)) - number(firstWaiting.get(key)) + 1;
            require(3, key, span, waitingCount.get(key));
          }
          require(4, key, linesToldByOrders.getOrDefault(key, 0L), lineCount.get(key));
          require(9, key, row.number("ytd"), paidAt.get(key));
        });
  }

  private void orders() {
    orders.forEach(
        (key, row) -> {
          boolean carried = row.has("carrier_id");
          require(5, key, waiting.contains(key) ? 0 : 1, carried ? 1L : 0L);
          require(6, key, row.number("ol_cnt"), lines.get(key));
          require(7, key, carried ? row.number("ol_cnt") : 0, deliveredLines.getOrDefault(key, 0L));
        });
    for (List<Integer> key : waiting) {
      if (!orders.containsKey(key)) {
        violations.add("condition 5: in NEW-ORDER without an order, key=" + key);
      }
    }
  }

  private void customers() {
    Map<List<Integer>, Long> delivered = new HashMap<>();
    orders.forEach(
        (key, row) ->
            delivered.merge(
                List.of(key.get(0), key.get(1), (int) row.number("c_id")),
                deliveredAmount.getOrDefault(key, 0L),
                Long::sum));
    customers.forEach(
        (key, row) -> {
          long received = delivered.getOrDefault(key, 0L);
          String name = key.get(0) + "/" + key.get(1) + "/" + key.get(2);
          long balance = row.number("balance");
          require(10, key, balance, received - paidBy.getOrDefault(name, 0L));
          require(12, key, balance + row.number("ytd_payment"), received);
        });
  }

  private static long number(@Nullable Integer found) {
    return found == null ? 0 : found;
  }

  private void require(int condition, List<Integer> key, long one, @Nullable Long other) {
    if (other == null || one != other) {
      violations.add(
          "condition " + condition + ": key=" + key + " found=" + one + " expected=" + other);
    }
  }
}
