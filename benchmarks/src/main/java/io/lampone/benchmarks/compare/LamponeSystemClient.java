package io.lampone.benchmarks.compare;

import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.client.fastpath.FastPathTable;
import io.lampone.client.fastpath.RowRead;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Table;

/**
 * Lampone's blocking client with its defaults. In fast-path mode, transactions of one row use the
 * fast path; those of several rows are regular ones.
 */
final class LamponeSystemClient implements SystemClient {

  private static final TransactionOptions READ_ONLY = TransactionOptions.DEFAULT.asReadOnly();

  private final LamponeClient client;
  private final TableName table;
  private final Rows rows;
  private final boolean fast;

  LamponeSystemClient(Configuration configuration, TableName table, Rows rows, boolean fast)
      throws IOException {
    this.client = LamponeClient.connect(configuration);
    this.table = table;
    this.rows = rows;
    this.fast = fast;
  }

  @Override
  public Session session() throws IOException {
    FastPathTable fastTable = client.fastPath().table(table);
    return accesses -> {
      try {
        return fast && accesses.size() == 1
            ? Ended.alone(perform(fastTable, accesses.get(0)))
            : perform(accesses);
      } catch (LamponeException e) {
        return switch (e.code()) {
          case CONFLICT -> new Ended(Ending.CONFLICT, e.startTimestamp(), 0);
          case ABORTED, BLOCKED -> new Ended(Ending.ABORTED, e.startTimestamp(), 0);
          default -> throw e;
        };
      }
    };
  }

  private Ending perform(FastPathTable fastTable, Access access) throws IOException {
    if (!access.writes()) {
      rows.require(fastTable.get(rows.get(access.row())));
      return Ending.COMMITTED;
    }
    if (!access.reads()) {
      fastTable.put(rows.put(access.row()));
      return Ending.COMMITTED;
    }
    RowRead read = fastTable.readForUpdate(rows.get(access.row()));
    rows.require(read.result());
    return fastTable.putIf(rows.put(access.row()), read.version()).isCommitted()
        ? Ending.COMMITTED
        : Ending.CONFLICT;
  }

  private Ended perform(List<Access> accesses) throws IOException {
    boolean writes = accesses.stream().anyMatch(Access::writes);
    try (Transaction transaction = client.begin(writes ? TransactionOptions.DEFAULT : READ_ONLY)) {
      Table own = transaction.table(table);
      for (Access access : accesses) {
        if (access.reads()) {
          rows.require(own.get(rows.get(access.row())));
        }
        if (access.writes()) {
          own.put(rows.put(access.row()));
        }
      }
      transaction.commit();
      return new Ended(
          Ending.COMMITTED, transaction.startTimestamp(), transaction.commitTimestamp().orElse(0L));
    }
  }

  @Override
  public long managerRequests() {
    return client.metrics().managerRequests();
  }

  @Override
  public void close() throws IOException {
    client.close();
  }
}
