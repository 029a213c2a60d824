package io.lampone.benchmarks.compare;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Table;

/** HBase's blocking client: the same accesses one by one, without transactions. */
final class NativeSystemClient implements SystemClient {

  private final Connection connection;
  private final TableName table;
  private final Rows rows;

  NativeSystemClient(Configuration configuration, TableName table, Rows rows) throws IOException {
    this.connection = ConnectionFactory.createConnection(configuration);
    this.table = table;
    this.rows = rows;
  }

  @Override
  public Session session() throws IOException {
    Table own = connection.getTable(table);
    return accesses -> Ended.alone(perform(own, accesses));
  }

  private Ending perform(Table own, List<Access> accesses) throws IOException {
    for (Access access : accesses) {
      if (access.reads()) {
        rows.require(own.get(rows.get(access.row())));
      }
      if (access.writes()) {
        own.put(rows.put(access.row()));
      }
    }
    return Ending.COMMITTED;
  }

  @Override
  public long managerRequests() {
    return 0;
  }

  @Override
  public void close() throws IOException {
    connection.close();
  }
}
