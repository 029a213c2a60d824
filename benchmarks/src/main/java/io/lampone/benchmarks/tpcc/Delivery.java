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
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;

/** Section 2.7: the oldest order of each district that waits, all in one transaction. */
final class Delivery implements Workload.Work {

  static final String TYPE = "Delivery";

  private final int warehouse;
  private final int carrier;

  Delivery(TpccRandom chance) {
    warehouse = chance.warehouse();
    carrier = chance.uniform(1, 10);
  }

  @Override
  public String type() {
    return TYPE;
  }

  @Override
  public boolean run(Transaction transaction) throws IOException {
    for (int district = 1; district <= Scale.DISTRICTS; district++) {
      Optional<Integer> oldest = oldest(transaction, district);
      if (oldest.isPresent()) { // else the district is skipped (2.7.4.2)
        deliver(transaction, district, oldest.get());
      }
    }
    return true;
  }

  private Optional<Integer> oldest(Transaction transaction, int district) throws IOException {
    try (ResultScanner waiting =
        transaction
            .table(Tables.NEW_ORDER)
            .getScanner(OltpRow.scan(key(warehouse, district)).setLimit(1))) {
      Result first = waiting.next();
      return first == null ? Optional.empty() : Optional.of(OltpRow.of(first).keyNumber(2));
    }
  }

  private void deliver(Transaction transaction, int district, int order) throws IOException {
    byte[] orderKey = key(warehouse, district, order);
    transaction.table(Tables.NEW_ORDER).delete(OltpRow.delete(orderKey));
    int customer = (int) OltpRow.require(transaction, Tables.ORDER, orderKey).number("c_id");
    transaction.table(Tables.ORDER).put(set(put(orderKey), "carrier_id", carrier));
    long amount = 0;
    List<Put> delivered = new ArrayList<>();
    try (ResultScanner lines =
        transaction.table(Tables.ORDER_LINE).getScanner(OltpRow.scan(orderKey))) {
      for (Result line : lines) {
        amount += OltpRow.of(line).number("amount");
        delivered.add(set(put(line.getRow()), "delivery_d", transaction.startTimestamp()));
      }
    }
    transaction.table(Tables.ORDER_LINE).put(delivered);
    byte[] customerKey = key(warehouse, district, customer);
    OltpRow owner = OltpRow.require(transaction, Tables.CUSTOMER, customerKey);
    Put charged = put(customerKey);
    set(charged, "balance", owner.number("balance") + amount);
    set(charged, "delivery_cnt", owner.number("delivery_cnt") + 1);
    transaction.table(Tables.CUSTOMER).put(charged);
  }
}
