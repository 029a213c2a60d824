package io.lampone.examples;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import java.io.IOException;
import org.apache.hadoop.hbase.TableName;

/** Reads a snapshot of the past. It stays readable for the retention, ten minutes by default. */
public final class PastReads {

  private PastReads() {}

  public static void main(String... args) throws IOException {
    try (LamponeClient client = ExampleTable.connect(args)) {
      System.out.println(run(client));
    }
  }

  /** Returns the value before and after a change, both read afterwards. */
  static String run(LamponeClient client) throws IOException {
    TableName prices = ExampleTable.create(client, "prices");
    client.run(
        tx -> {
          tx.table(prices).put(ExampleTable.put("book", 20));
          return null;
        });
    long before;
    try (Transaction tx = client.readOnly()) {
      before = tx.startTimestamp();
    }
    client.run(
        tx -> {
          tx.table(prices).put(ExampleTable.put("book", 25));
          return null;
        });
    // Or by time: asOf(Instant.now().minusSeconds(60)).
    try (Transaction past = client.asOf(before);
        Transaction present = client.readOnly()) {
      return "before="
          + ExampleTable.read(past.table(prices), "book")
          + " now="
          + ExampleTable.read(present.table(prices), "book");
    }
  }
}
