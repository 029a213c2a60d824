package io.lampone.benchmarks.tpcc;

import static io.lampone.benchmarks.oltp.OltpRow.key;

import io.lampone.benchmarks.oltp.OltpRow;
import io.lampone.benchmarks.oltp.Workload;
import io.lampone.client.Transaction;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;

/** Section 2.8: reads only. */
final class StockLevel implements Workload.Work {

  static final String TYPE = "StockLevel";

  private static final int ORDERS = 20;

  private final int warehouse;
  private final int district;
  private final int threshold;

  StockLevel(TpccRandom chance) {
    warehouse = chance.warehouse();
    district = chance.district();
    threshold = chance.uniform(10, 20);
  }

  @Override
  public String type() {
    return TYPE;
  }

  @Override
  public boolean run(Transaction transaction) throws IOException {
    int next =
        (int)
            OltpRow.require(transaction, Tables.DISTRICT, key(warehouse, district))
                .number("next_o_id");
    Set<Integer> items = new LinkedHashSet<>();
    Scan lastOrders =
        new Scan()
            .withStartRow(key(warehouse, district, Math.max(1, next - ORDERS)))
            .withStopRow(key(warehouse, district, next));
    try (ResultScanner lines = transaction.table(Tables.ORDER_LINE).getScanner(lastOrders)) {
      for (Result line : lines) {
        items.add((int) OltpRow.of(line).number("i_id"));
      }
    }
    countLow(transaction, items); // a terminal would show it
    return true;
  }

  private int countLow(Transaction transaction, Set<Integer> items) throws IOException {
    List<Get> gets = new ArrayList<>();
    items.forEach(item -> gets.add(new Get(key(warehouse, item))));
    int low = 0;
    for (Result stock : transaction.table(Tables.STOCK).get(gets)) {
      low += OltpRow.of(stock).number("quantity") < threshold ? 1 : 0;
    }
    return low;
  }
}
