package io.lampone.examples;

import io.lampone.client.CommitOutcomeUnknownException;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOutcome;
import io.lampone.protocol.TransactionId;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.TableName;

/**
 * Commits work that must happen exactly once. If the outcome of a commit is unknown, the client
 * requests its status before any retry.
 */
public final class UnknownOutcome {

  private static final int MAX_ATTEMPTS = 50;

  private UnknownOutcome() {}

  public static void main(String... args) throws IOException {
    try (LamponeClient client = ExampleTable.connect(args)) {
      System.out.println(run(client));
    }
  }

  /** Returns the result of the payment. */
  static String run(LamponeClient client) throws IOException {
    TableName payments = ExampleTable.create(client, "payments");
    try (Transaction tx = client.begin()) {
      tx.table(payments).put(ExampleTable.put("payment-1", 100));
      return commit(client, tx) ? "paid" : "not paid";
    }
  }

  /** Returns true if the transaction has committed, false if it had no effect. */
  static boolean commit(LamponeClient client, Transaction tx) throws IOException {
    try {
      tx.commit();
      return true;
    } catch (CommitOutcomeUnknownException e) {
      return hasCommitted(client, e);
    }
  }

  /**
   * Requests the status from the client that committed, whose reply is final: a commit that has not
   * happened by now is prevented.
   */
  static boolean hasCommitted(LamponeClient client, CommitOutcomeUnknownException unknown)
      throws IOException {
    TransactionId id = unknown.transactionId().orElseThrow();
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      TransactionOutcome outcome = client.status(id);
      if (outcome instanceof TransactionOutcome.Committed) {
        return true;
      }
      if (outcome instanceof TransactionOutcome.Aborted) {
        return false;
      }
      if (outcome instanceof TransactionOutcome.TooOld) {
        break;
      }
      LockSupport.parkNanos(100_000_000); // running: the commit is not decided yet
    }
    throw unknown; // note the id, and ask later
  }
}
