package io.lampone.examples;

import io.lampone.client.LamponeClient;
import io.lampone.client.TransactionOptions;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncTable;

/** Transfer without a blocked thread: both reads, and both writes, run concurrently. */
public final class AsyncTransfer {

  private AsyncTransfer() {}

  public static void main(String... args)
      throws IOException, InterruptedException, ExecutionException {
    try (LamponeClient client = ExampleTable.connect(args)) {
      System.out.println(run(client));
    }
  }

  /** Returns the balances afterwards. */
  static String run(LamponeClient client)
      throws IOException, InterruptedException, ExecutionException {
    TableName accounts = ExampleTable.create(client, "accounts");
    client.run(
        tx -> {
          tx.table(accounts).put(ExampleTable.put("carol", 70));
          tx.table(accounts).put(ExampleTable.put("dave", 30));
          return null;
        });
    return transfer(client, accounts, 5).get();
  }

  private static CompletableFuture<String> transfer(
      LamponeClient client, TableName accounts, long amount) {
    return client.runAsync(
        TransactionOptions.DEFAULT,
        tx -> {
          AsyncTable<?> table = tx.table(accounts);
          return table
              .get(ExampleTable.get("carol"))
              .thenCombine(
                  table.get(ExampleTable.get("dave")),
                  (carol, dave) ->
                      new long[] {
                        ExampleTable.number(carol) - amount, ExampleTable.number(dave) + amount
                      })
              .thenCompose(
                  balances ->
                      CompletableFuture.allOf(
                              table.put(ExampleTable.put("carol", balances[0])),
                              table.put(ExampleTable.put("dave", balances[1])))
                          .thenApply(done -> "carol=" + balances[0] + " dave=" + balances[1]));
        });
  }
}
