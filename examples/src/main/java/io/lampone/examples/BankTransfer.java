package io.lampone.examples;

import io.lampone.client.LamponeClient;
import java.io.IOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Table;

/** Moves money between two rows. {@code run} retries on a new snapshot after a conflict. */
public final class BankTransfer {

  private BankTransfer() {}

  public static void main(String... args) throws IOException {
    try (LamponeClient client = ExampleTable.connect(args)) {
      System.out.println(run(client));
    }
  }

  /** Returns the balances afterwards. */
  static String run(LamponeClient client) throws IOException {
    TableName accounts = ExampleTable.create(client, "accounts");
    client.execute(
        tx -> {
          tx.table(accounts).put(ExampleTable.put("alice", 100));
          tx.table(accounts).put(ExampleTable.put("bob", 0));
        });
    return client.run(
        tx -> {
          Table table = tx.table(accounts);
          long alice = ExampleTable.read(table, "alice") - 10;
          long bob = ExampleTable.read(table, "bob") + 10;
          table.put(ExampleTable.put("alice", alice));
          table.put(ExampleTable.put("bob", bob));
          return "alice=" + alice + " bob=" + bob;
        });
  }
}
