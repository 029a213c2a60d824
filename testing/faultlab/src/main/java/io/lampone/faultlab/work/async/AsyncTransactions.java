package io.lampone.faultlab.work.async;

import io.lampone.client.AsyncTransaction;
import io.lampone.client.LamponeClient;
import io.lampone.client.Savepoint;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.protocol.TransactionId;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Table;

/** Asynchronous transactions for code that expects blocking ones. */
public final class AsyncTransactions {

  private AsyncTransactions() {}

  /** Begins a transaction all of whose steps use the client's asynchronous interface. */
  public static Transaction begin(LamponeClient client, TransactionOptions options)
      throws IOException {
    return new View(Futures.await(client.beginAsync(options)));
  }

  /** Blocking view of an asynchronous transaction. */
  private record View(AsyncTransaction transaction) implements Transaction {

    @Override
    public long startTimestamp() {
      return transaction.startTimestamp();
    }

    @Override
    public Table table(TableName name) {
      return new AsyncTableView(transaction.table(name));
    }

    @Override
    public Savepoint savepoint() throws IOException {
      return Futures.await(transaction.savepoint());
    }

    @Override
    public void rollbackTo(Savepoint savepoint) throws IOException {
      Futures.await(transaction.rollbackTo(savepoint));
    }

    @Override
    public void commit() throws IOException {
      Futures.await(transaction.commit());
    }

    @Override
    public void rollback() throws IOException {
      Futures.await(transaction.rollback());
    }

    @Override
    public Optional<TransactionId> id() {
      return transaction.id();
    }

    @Override
    public Optional<Long> commitTimestamp() {
      return transaction.commitTimestamp();
    }

    @Override
    public void close() throws IOException {
      rollback();
    }
  }
}
