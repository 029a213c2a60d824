package io.lampone.benchmarks.tpcc;

import static io.lampone.benchmarks.oltp.OltpRow.key;
import static io.lampone.benchmarks.oltp.OltpRow.put;
import static io.lampone.benchmarks.oltp.OltpRow.set;

import io.lampone.benchmarks.oltp.OltpRow;
import io.lampone.benchmarks.oltp.Workload;
import io.lampone.client.Transaction;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Put;

/** Section 2.4. */
final class NewOrder implements Workload.Work {

  static final String TYPE = "NewOrder";

  private static final int REMOTE_PERCENT = 1;
  private static final int UNUSED_ITEM_PERCENT = 1;
  private static final int RESTOCK_BELOW = 10;
  private static final int RESTOCK = 91;
  private static final int DIST_LENGTH = 24;

  private final int warehouse;
  private final int district;
  private final int customer;
  private final List<Line> lines;

  private record Line(int item, int supplier, int quantity) {}

  NewOrder(TpccRandom chance, Scale scale) {
    warehouse = chance.warehouse();
    district = chance.district();
    customer = chance.customer();
    int count = chance.uniform(5, 15);
    boolean unused = chance.percent(UNUSED_ITEM_PERCENT);
    lines = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      int supplier = warehouse;
      if (scale.warehouses() > 1 && chance.percent(REMOTE_PERCENT)) {
        int other = chance.uniform(1, scale.warehouses() - 1);
        supplier = other >= warehouse ? other + 1 : other;
      }
      boolean missing = unused && i == count;
      lines.add(
          new Line(missing ? scale.items() + 1 : chance.item(), supplier, chance.uniform(1, 10)));
    }
  }

  @Override
  public String type() {
    return TYPE;
  }

  @Override
  public boolean run(Transaction transaction) throws IOException {
    OltpRow.require(transaction, Tables.WAREHOUSE, key(warehouse)).number("tax");
    OltpRow place = OltpRow.require(transaction, Tables.DISTRICT, key(warehouse, district));
    OltpRow.require(transaction, Tables.CUSTOMER, key(warehouse, district, customer))
        .number("discount");
    int order = (int) place.number("next_o_id");
    transaction
        .table(Tables.DISTRICT)
        .put(set(put(key(warehouse, district)), "next_o_id", order + 1));
    insertOrder(transaction, order);
    for (int i = 0; i < lines.size(); i++) {
      Optional<OltpRow> item = OltpRow.read(transaction, Tables.ITEM, key(lines.get(i).item()));
      if (item.isEmpty()) {
        return false; // an unused item number: all of it is rolled back
      }
      insertLine(transaction, order, i + 1, lines.get(i), item.get().number("price"));
    }
    return true;
  }

  private void insertOrder(Transaction transaction, int order) throws IOException {
    Put row = put(key(warehouse, district, order));
    set(row, "c_id", customer);
    set(row, "entry_d", transaction.startTimestamp());
    set(row, "ol_cnt", lines.size());
    boolean local = lines.stream().allMatch(line -> line.supplier() == warehouse);
    set(row, "all_local", local ? 1 : 0);
    transaction.table(Tables.ORDER).put(row);
    transaction
        .table(Tables.NEW_ORDER)
        .put(set(put(key(warehouse, district, order)), "waiting", 1));
    transaction
        .table(Tables.ORDER_BY_CUSTOMER)
        .put(
            set(
                put(Tables.orderOfCustomerKey(warehouse, district, customer, order)),
                "o_id",
                order));
  }

  private void insertLine(Transaction transaction, int order, int number, Line line, long price)
      throws IOException {
    byte[] stockKey = key(line.supplier(), line.item());
    OltpRow stock = OltpRow.require(transaction, Tables.STOCK, stockKey);
    long left = stock.number("quantity") - line.quantity();
    Put taken = put(stockKey);
    set(taken, "quantity", left >= RESTOCK_BELOW ? left : left + RESTOCK);
    set(taken, "ytd", stock.number("ytd") + line.quantity());
    set(taken, "order_cnt", stock.number("order_cnt") + 1);
    if (line.supplier() != warehouse) {
      set(taken, "remote_cnt", stock.number("remote_cnt") + 1);
    }
    transaction.table(Tables.STOCK).put(taken);
    int from = (district - 1) * DIST_LENGTH;
    Put row = put(key(warehouse, district, order, number));
    set(row, "i_id", line.item());
    set(row, "supply_w_id", line.supplier());
    set(row, "quantity", line.quantity());
    set(row, "amount", line.quantity() * price);
    set(row, "dist_info", stock.text("dists").substring(from, from + DIST_LENGTH));
    transaction.table(Tables.ORDER_LINE).put(row);
  }
}
