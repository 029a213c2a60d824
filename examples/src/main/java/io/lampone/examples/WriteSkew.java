package io.lampone.examples;

import io.lampone.client.ConflictException;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import java.io.IOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Table;

/**
 * The anomaly that snapshot isolation allows, and its cure. Two doctors are on call, and one of
 * them must be. Each may leave if the other one is there: both transactions read both rows, and
 * each writes its own, so neither conflicts with the other.
 *
 * <p>The cure is to write what the decision rests on: whatever is read and must not change is put
 * back with the same value, and one of the two gets a conflict.
 */
public final class WriteSkew {

  private WriteSkew() {}

  public static void main(String... args) throws IOException {
    try (LamponeClient client = ExampleTable.connect(args)) {
      System.out.println(run(client));
    }
  }

  /** Returns how many doctors stay, without the cure and with it. */
  static String run(LamponeClient client) throws IOException {
    return "without=" + leaveBoth(client, false) + " with=" + leaveBoth(client, true);
  }

  private static long leaveBoth(LamponeClient client, boolean cured) throws IOException {
    TableName doctors = ExampleTable.create(client, "doctors");
    client.run(
        tx -> {
          tx.table(doctors).put(ExampleTable.put("alice", 1));
          tx.table(doctors).put(ExampleTable.put("bob", 1));
          return null;
        });
    try (Transaction first = client.begin();
        Transaction second = client.begin()) {
      leave(first.table(doctors), "alice", "bob", cured);
      leave(second.table(doctors), "bob", "alice", cured);
      first.commit();
      second.commit();
    } catch (ConflictException e) {
      // The second one would begin again, see that nobody else is there, and stay.
    }
    return client.run(
        tx ->
            ExampleTable.read(tx.table(doctors), "alice")
                + ExampleTable.read(tx.table(doctors), "bob"));
  }

  private static void leave(Table doctors, String leaver, String other, boolean cured)
      throws IOException {
    long there = ExampleTable.read(doctors, other);
    if (there == 1) {
      doctors.put(ExampleTable.put(leaver, 0));
      if (cured) {
        doctors.put(ExampleTable.put(other, there));
      }
    }
  }
}
