package io.lampone.benchmarks.tpcc;

import static io.lampone.benchmarks.oltp.OltpRow.key;

import io.lampone.benchmarks.oltp.OltpRow;
import io.lampone.benchmarks.oltp.Workload;
import io.lampone.client.Transaction;
import java.io.IOException;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;

/** Section 2.6: reads only. */
final class OrderStatus implements Workload.Work {

  static final String TYPE = "OrderStatus";

  private final CustomerChoice customer;

  OrderStatus(TpccRandom chance) {
    customer = new CustomerChoice(chance, chance.warehouse(), chance.district());
  }

  @Override
  public String type() {
    return TYPE;
  }

  @Override
  public boolean run(Transaction transaction) throws IOException {
    int warehouse = customer.warehouse();
    int district = customer.district();
    int number = customer.find(transaction);
    OltpRow.require(transaction, Tables.CUSTOMER, key(warehouse, district, number))
        .number("balance");
    int last;
    try (ResultScanner orders =
        transaction
            .table(Tables.ORDER_BY_CUSTOMER)
            .getScanner(OltpRow.scan(key(warehouse, district, number)).setLimit(1))) {
      Result first = orders.next();
      if (first == null) {
        throw new IOException("a customer without an order, customer=" + number);
      }
      last = (int) OltpRow.of(first).number("o_id");
    }
    OltpRow order = OltpRow.require(transaction, Tables.ORDER, key(warehouse, district, last));
    int lines = 0;
    try (ResultScanner rows =
        transaction
            .table(Tables.ORDER_LINE)
            .getScanner(OltpRow.scan(key(warehouse, district, last)))) {
      for (Result row : rows) {
        OltpRow.of(row).number("amount");
        lines++;
      }
    }
    if (lines != order.number("ol_cnt")) {
      throw new IOException(
          "a snapshot shows a part of an order, order="
              + last
              + " lines="
              + lines
              + " expected="
              + order.number("ol_cnt"));
    }
    return true;
  }
}
