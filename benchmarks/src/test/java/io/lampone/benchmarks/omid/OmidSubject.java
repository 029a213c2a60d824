package io.lampone.benchmarks.omid;

import io.lampone.benchmarks.compare.Access;
import io.lampone.benchmarks.compare.Rows;
import io.lampone.benchmarks.compare.SystemClient;
import io.lampone.benchmarks.compare.SystemClientProtocol;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.omid.transaction.AbstractTransaction;
import org.apache.omid.transaction.HBaseOmidClientConfiguration;
import org.apache.omid.transaction.HBaseTransactionManager;
import org.apache.omid.transaction.RollbackException;
import org.apache.omid.transaction.TTable;
import org.apache.omid.transaction.TransactionException;
import org.apache.omid.transaction.TransactionManager;
import org.apache.omid.tso.client.OmidClientConfiguration.ConnType;
import org.apache.omid.tso.client.TSOClient;

/** Omid's own client with its defaults: conflicts by cell, shadow cells before the answer. */
final class OmidSubject implements SystemClient {

  private final Connection connection;
  private final TransactionManager manager;
  private final SystemClientProtocol.Start start;
  private final Rows rows;
  private final LongAdder requests = new LongAdder();

  OmidSubject(SystemClientProtocol.Start start) throws IOException, InterruptedException {
    this.start = start;
    this.rows = start.rows();
    this.connection = ConnectionFactory.createConnection(start.configuration());
    HBaseOmidClientConfiguration config = new HBaseOmidClientConfiguration();
    config.setHBaseConfiguration(start.configuration());
    config.setCommitTableName(OmidStoreServerProcess.commitTable(start.contender()));
    config.setConnectionType(ConnType.DIRECT);
    config.setConnectionString("127.0.0.1:" + start.server());
    this.manager =
        HBaseTransactionManager.builder(config)
            .tsoClient(
                new CountedOracle(
                    TSOClient.newInstance(config.getOmidClientConfiguration()), requests))
            .build();
  }

  @Override
  public Session session() throws IOException {
    TTable table = new TTable(connection, start.table().getName());
    return accesses -> perform(table, accesses);
  }

  private Ended perform(TTable table, List<Access> accesses) throws IOException {
    try {
      return perform(table, accesses, (AbstractTransaction<?>) manager.begin());
    } catch (TransactionException e) {
      throw new IOException(e);
    }
  }

  private Ended perform(TTable table, List<Access> accesses, AbstractTransaction<?> transaction)
      throws IOException, TransactionException {
    try {
      for (Access access : accesses) {
        if (access.reads()) {
          rows.require(table.get(transaction, rows.get(access.row())));
        }
        if (access.writes()) {
          table.put(transaction, rows.put(access.row()));
        }
      }
      manager.commit(transaction);
      boolean writes = accesses.stream().anyMatch(Access::writes);
      return new Ended(
          Ending.COMMITTED,
          transaction.getStartTimestamp(),
          writes ? transaction.getCommitTimestamp() : 0);
    } catch (RollbackException e) {
      return new Ended(Ending.CONFLICT, transaction.getStartTimestamp(), 0);
    }
  }

  @Override
  public long managerRequests() {
    return requests.sum();
  }

  @Override
  public void close() throws IOException {
    manager.close();
    connection.close();
  }
}
