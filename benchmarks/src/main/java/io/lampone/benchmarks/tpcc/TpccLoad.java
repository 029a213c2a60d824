package io.lampone.benchmarks.tpcc;

import static io.lampone.benchmarks.oltp.OltpRow.key;
import static io.lampone.benchmarks.oltp.OltpRow.put;
import static io.lampone.benchmarks.oltp.OltpRow.set;

import io.lampone.benchmarks.oltp.Loader;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.client.Put;

/** Initial population (section 4.3.3), scaled. */
final class TpccLoad {

  /** Initial payment of each customer: 10.00, in cents. */
  static final int FIRST_PAYMENT = 10_00;

  /** Share of delivered orders: of 3,000 orders the last 900 are undelivered. */
  private static final double DELIVERED_SHARE = 0.7;

  private static final int BAD_CREDIT_PERCENT = 10;
  private static final int ORIGINAL_PERCENT = 10;

  private final Loader loader;
  private final Scale scale;
  private final TpccRandom chance;

  TpccLoad(Loader loader, Scale scale, TpccRandom chance) {
    this.loader = loader;
    this.scale = scale;
    this.chance = chance;
  }

  void run() throws IOException {
    for (int item = 1; item <= scale.items(); item++) {
      Put row = put(key(item));
      set(row, "price", chance.uniform(1_00, 100_00));
      set(row, "name", chance.letters(14, 24));
      set(row, "data", data());
      set(row, "im_id", chance.uniform(1, 10_000));
      loader.write(Tables.ITEM, row);
    }
    for (int warehouse = 1; warehouse <= scale.warehouses(); warehouse++) {
      warehouse(warehouse);
    }
  }

  private void warehouse(int warehouse) throws IOException {
    Put row = put(key(warehouse));
    set(row, "ytd", (long) FIRST_PAYMENT * scale.customers() * Scale.DISTRICTS);
    set(row, "tax", chance.uniform(0, 2_000));
    set(row, "name", chance.letters(6, 10));
    set(row, "address", chance.letters(40, 71));
    loader.write(Tables.WAREHOUSE, row);
    for (int item = 1; item <= scale.items(); item++) {
      Put stock = put(key(warehouse, item));
      set(stock, "quantity", chance.uniform(10, 100));
      set(stock, "ytd", 0);
      set(stock, "order_cnt", 0);
      set(stock, "remote_cnt", 0);
      set(stock, "dists", chance.letters(24 * Scale.DISTRICTS, 24 * Scale.DISTRICTS));
      set(stock, "data", data());
      loader.write(Tables.STOCK, stock);
    }
    for (int district = 1; district <= Scale.DISTRICTS; district++) {
      district(warehouse, district);
    }
  }

  private void district(int warehouse, int district) throws IOException {
    Put row = put(key(warehouse, district));
    set(row, "ytd", (long) FIRST_PAYMENT * scale.customers());
    set(row, "tax", chance.uniform(0, 2_000));
    set(row, "next_o_id", scale.customers() + 1);
    set(row, "name", chance.letters(6, 10));
    set(row, "address", chance.letters(40, 71));
    loader.write(Tables.DISTRICT, row);
    for (int customer = 1; customer <= scale.customers(); customer++) {
      customer(warehouse, district, customer);
    }
    List<Integer> customers = chance.permutation(scale.customers());
    for (int order = 1; order <= scale.customers(); order++) {
      order(warehouse, district, order, customers.get(order - 1));
    }
  }

  private void customer(int warehouse, int district, int customer) throws IOException {
    String last = chance.lastNameOfLoad(customer);
    String first = chance.letters(8, 16);
    Put row = put(key(warehouse, district, customer));
    set(row, "last", last);
    set(row, "first", first);
    set(row, "credit", chance.percent(BAD_CREDIT_PERCENT) ? "BC" : "GC");
    set(row, "discount", chance.uniform(0, 5_000));
    set(row, "balance", -FIRST_PAYMENT);
    set(row, "ytd_payment", FIRST_PAYMENT);
    set(row, "payment_cnt", 1);
    set(row, "delivery_cnt", 0);
    set(row, "data", chance.letters(300, 500));
    set(row, "address", chance.letters(60, 90));
    loader.write(Tables.CUSTOMER, row);
    loader.write(
        Tables.CUSTOMER_BY_NAME,
        set(put(Tables.nameKey(warehouse, district, last, first, customer)), "c_id", customer));
    Put paid = put(key(warehouse, district, 0, customer));
    set(paid, "amount", FIRST_PAYMENT);
    set(paid, "c", warehouse + "/" + district + "/" + customer);
    set(paid, "data", chance.letters(12, 24));
    loader.write(Tables.HISTORY, paid);
  }

  private void order(int warehouse, int district, int order, int customer) throws IOException {
    boolean delivered = order <= scale.customers() * DELIVERED_SHARE;
    int lines = chance.uniform(5, 15);
    Put row = put(key(warehouse, district, order));
    set(row, "c_id", customer);
    set(row, "entry_d", 1);
    set(row, "ol_cnt", lines);
    set(row, "all_local", 1);
    if (delivered) {
      set(row, "carrier_id", chance.uniform(1, 10));
    } else {
      loader.write(Tables.NEW_ORDER, set(put(key(warehouse, district, order)), "waiting", 1));
    }
    loader.write(Tables.ORDER, row);
    loader.write(
        Tables.ORDER_BY_CUSTOMER,
        set(put(Tables.orderOfCustomerKey(warehouse, district, customer, order)), "o_id", order));
    for (int line = 1; line <= lines; line++) {
      Put orderLine = put(key(warehouse, district, order, line));
      set(orderLine, "i_id", chance.uniform(1, scale.items()));
      set(orderLine, "supply_w_id", warehouse);
      set(orderLine, "quantity", 5);
      set(orderLine, "amount", delivered ? 0 : chance.uniform(1, 9_999_99));
      set(orderLine, "dist_info", chance.letters(24, 24));
      if (delivered) {
        set(orderLine, "delivery_d", 1);
      }
      loader.write(Tables.ORDER_LINE, orderLine);
    }
  }

  /** Returns a text of which one in ten contains the word for an original. */
  private String data() {
    String text = chance.letters(26, 50);
    return chance.percent(ORIGINAL_PERCENT)
        ? "ORIGINAL" + text.substring("ORIGINAL".length())
        : text;
  }
}
