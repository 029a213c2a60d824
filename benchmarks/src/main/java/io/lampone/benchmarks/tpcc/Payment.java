package io.lampone.benchmarks.tpcc;

import static io.lampone.benchmarks.oltp.OltpRow.key;
import static io.lampone.benchmarks.oltp.OltpRow.put;
import static io.lampone.benchmarks.oltp.OltpRow.set;

import io.lampone.benchmarks.oltp.OltpRow;
import io.lampone.benchmarks.oltp.Workload;
import io.lampone.client.Transaction;
import java.io.IOException;
import org.apache.hadoop.hbase.client.Put;

/** Section 2.5. */
final class Payment implements Workload.Work {

  static final String TYPE = "Payment";

  private static final int HOME_PERCENT = 85;
  private static final int LONGEST_DATA = 500;

  private final int warehouse;
  private final int district;
  private final CustomerChoice payer;
  private final int amount;

  /** Number of the writer, which with a count is the key that the specification lacks. */
  private final int writer;

  private final int writerCount;

  Payment(TpccRandom chance, Scale scale, int writer, int writerCount) {
    this.writer = writer;
    this.writerCount = writerCount;
    warehouse = chance.warehouse();
    district = chance.district();
    amount = chance.uniform(1_00, 5_000_00);
    if (scale.warehouses() == 1 || chance.percent(HOME_PERCENT)) {
      payer = new CustomerChoice(chance, warehouse, district);
    } else {
      int other = chance.uniform(1, scale.warehouses() - 1);
      payer = new CustomerChoice(chance, other >= warehouse ? other + 1 : other, chance.district());
    }
  }

  @Override
  public String type() {
    return TYPE;
  }

  @Override
  public boolean run(Transaction transaction) throws IOException {
    OltpRow home = OltpRow.require(transaction, Tables.WAREHOUSE, key(warehouse));
    transaction
        .table(Tables.WAREHOUSE)
        .put(set(put(key(warehouse)), "ytd", home.number("ytd") + amount));
    byte[] districtKey = key(warehouse, district);
    OltpRow place = OltpRow.require(transaction, Tables.DISTRICT, districtKey);
    transaction
        .table(Tables.DISTRICT)
        .put(set(put(districtKey), "ytd", place.number("ytd") + amount));
    int number = payer.find(transaction);
    pay(transaction, number);
    Put row = put(key(warehouse, district, writer, writerCount));
    set(row, "amount", amount);
    set(row, "c", payer.warehouse() + "/" + payer.district() + "/" + number);
    set(row, "data", home.text("name") + "    " + place.text("name"));
    transaction.table(Tables.HISTORY).put(row);
    return true;
  }

  private void pay(Transaction transaction, int number) throws IOException {
    byte[] customerKey = key(payer.warehouse(), payer.district(), number);
    OltpRow customer = OltpRow.require(transaction, Tables.CUSTOMER, customerKey);
    Put paid = put(customerKey);
    set(paid, "balance", customer.number("balance") - amount);
    set(paid, "ytd_payment", customer.number("ytd_payment") + amount);
    set(paid, "payment_cnt", customer.number("payment_cnt") + 1);
    if (customer.text("credit").equals("BC")) {
      String data =
          number
              + " "
              + payer.district()
              + " "
              + payer.warehouse()
              + " "
              + district
              + " "
              + warehouse
              + " "
              + amount
              + " "
              + customer.text("data");
      set(paid, "data", data.substring(0, Math.min(data.length(), LONGEST_DATA)));
    }
    transaction.table(Tables.CUSTOMER).put(paid);
  }
}
