package io.lampone.examples;

import io.lampone.client.LamponeClient;
import io.lampone.client.Savepoint;
import java.io.IOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Table;

/** Undoes a part of a transaction, and commits the rest. */
public final class PartialRollback {

  private PartialRollback() {}

  public static void main(String... args) throws IOException {
    try (LamponeClient client = ExampleTable.connect(args)) {
      System.out.println(run(client));
    }
  }

  /** Returns the rows that were committed. */
  static String run(LamponeClient client) throws IOException {
    TableName orders = ExampleTable.create(client, "orders");
    client.run(
        tx -> {
          Table table = tx.table(orders);
          table.put(ExampleTable.put("order-1", 1));
          Savepoint beforeSecond = tx.savepoint();
          table.put(ExampleTable.put("order-2", 2));
          tx.rollbackTo(beforeSecond);
          table.put(ExampleTable.put("order-3", 3));
          return null;
        });
    return client.run(
        tx ->
            "order-1="
                + ExampleTable.read(tx.table(orders), "order-1")
                + " order-2="
                + ExampleTable.read(tx.table(orders), "order-2")
                + " order-3="
                + ExampleTable.read(tx.table(orders), "order-3"));
  }
}
