package io.lampone.examples;

import io.lampone.client.LamponeClient;
import java.io.IOException;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.util.Bytes;

/** Scans with one of HBase's filters. The scan sees the transaction's own writes as well. */
public final class FilteredScan {

  private FilteredScan() {}

  public static void main(String... args) throws IOException {
    try (LamponeClient client = ExampleTable.connect(args)) {
      System.out.println(run(client));
    }
  }

  /** Returns the keys of the rows with a value of at least 50. */
  static String run(LamponeClient client) throws IOException {
    TableName stock = ExampleTable.create(client, "stock");
    return client.run(
        tx -> {
          Table table = tx.table(stock);
          for (int i = 0; i < 10; i++) {
            table.put(ExampleTable.put("item-" + i, 10L * i));
          }
          Scan scan =
              new Scan()
                  .setFilter(
                      new SingleColumnValueFilter(
                          ExampleTable.FAMILY,
                          ExampleTable.VALUE,
                          CompareOperator.GREATER_OR_EQUAL,
                          Bytes.toBytes(50L)));
          StringBuilder found = new StringBuilder();
          try (ResultScanner rows = table.getScanner(scan)) {
            for (Result row : rows) {
              found.append(Bytes.toString(row.getRow())).append(' ');
            }
          }
          return found.toString().trim();
        });
  }
}
