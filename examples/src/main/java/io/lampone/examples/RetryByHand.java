package io.lampone.examples;

import io.lampone.client.ConflictException;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import java.io.IOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Table;

/**
 * Retries explicitly after a conflict, where {@code run} does not fit: the application wants to
 * decide, or the transaction outlives a method.
 */
public final class RetryByHand {

  private static final int MAX_ATTEMPTS = 5;

  private RetryByHand() {}

  public static void main(String... args) throws IOException {
    try (LamponeClient client = ExampleTable.connect(args)) {
      System.out.println(run(client));
    }
  }

  /** Returns the counter and the number of attempts; a concurrent client wins once. */
  static String run(LamponeClient client) throws IOException {
    TableName counters = ExampleTable.create(client, "counters");
    client.run(
        tx -> {
          tx.table(counters).put(ExampleTable.put("visits", 0));
          return null;
        });
    for (int attempt = 1; ; attempt++) {
      try (Transaction tx = client.begin()) {
        Table table = tx.table(counters);
        long visits = ExampleTable.read(table, "visits") + 1;
        if (attempt == 1) {
          addOneMeanwhile(client, counters);
        }
        table.put(ExampleTable.put("visits", visits));
        tx.commit();
        return "visits=" + visits + " attempts=" + attempt;
      } catch (ConflictException e) {
        // The transaction had no effect; the next one reads a newer snapshot.
        if (attempt == MAX_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private static void addOneMeanwhile(LamponeClient client, TableName counters) throws IOException {
    client.run(
        tx -> {
          Table table = tx.table(counters);
          table.put(ExampleTable.put("visits", ExampleTable.read(table, "visits") + 1));
          return null;
        });
  }
}
