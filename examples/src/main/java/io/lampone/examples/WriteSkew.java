package io.lampone.examples;

import io.lampone.client.ConflictException;
import io.lampone.client.Isolation;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import java.io.IOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Table;

/**
 * Anomaly that snapshot isolation allows, and its cure. Two doctors are on call, and at least one
 * must stay. Each may leave if the other one stays: both transactions read both rows, and each
 * writes its own, so neither conflicts with the other.
 *
 * <p>The cure is SERIALIZABLE: then a transaction commits only if its reads are still current, and
 * one of the two gets a conflict.
 */
public final class WriteSkew {

  private WriteSkew() {}

  public static void main(String... args) throws IOException {
    try (LamponeClient client = ExampleTable.connect(args)) {
      System.out.println(run(client));
    }
  }

  /** Returns the number of doctors that stay, without the cure and with it. */
  static String run(LamponeClient client) throws IOException {
    return "without="
        + leaveBoth(client, Isolation.SNAPSHOT)
        + " with="
        + leaveBoth(client, Isolation.SERIALIZABLE);
  }

  private static long leaveBoth(LamponeClient client, Isolation isolation) throws IOException {
    TableName doctors = ExampleTable.create(client, "doctors");
    client.run(
        tx -> {
          tx.table(doctors).put(ExampleTable.put("alice", 1));
          tx.table(doctors).put(ExampleTable.put("bob", 1));
          return null;
        });
    try (Transaction first = client.begin(isolation);
        Transaction second = client.begin(isolation)) {
      leave(first.table(doctors), "alice", "bob");
      leave(second.table(doctors), "bob", "alice");
      first.commit();
      second.commit();
    } catch (ConflictException e) {
      // A retry of the second one would read that no other is left, and stay.
    }
    return client.run(
        tx ->
            ExampleTable.read(tx.table(doctors), "alice")
                + ExampleTable.read(tx.table(doctors), "bob"));
  }

  private static void leave(Table doctors, String leaver, String other) throws IOException {
    if (ExampleTable.read(doctors, other) == 1) {
      doctors.put(ExampleTable.put(leaver, 0));
    }
  }
}
