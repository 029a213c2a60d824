package io.lampone.phoenix;

import io.lampone.client.ClientMetrics;
import io.lampone.client.LamponeClient;
import io.lampone.client.TransactionOptions;
import io.lampone.client.spi.EngineTransaction;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import org.apache.hadoop.hbase.TableName;
import org.apache.phoenix.jdbc.PhoenixConnection;
import org.apache.phoenix.transaction.PhoenixTransactionClient;
import org.apache.phoenix.transaction.TransactionFactory;

/** Client of the transactions of all Phoenix connections to one cluster. */
final class PhoenixClient implements PhoenixTransactionClient {

  private final LamponeClient client;

  PhoenixClient(LamponeClient client) {
    this.client = client;
  }

  /** Returns the client of a connection; Phoenix makes one with its first. */
  static PhoenixClient of(PhoenixConnection connection) throws SQLException {
    PhoenixTransactionClient client =
        connection.getQueryServices().initTransactionClient(TransactionFactory.Provider.OMID);
    if (client instanceof PhoenixClient ours) {
      return ours;
    }
    throw new SQLException(
        "a connection from before Lampone was installed: call LamponePhoenix.install() before the"
            + " first one");
  }

  ClientMetrics metrics() {
    return client.metrics();
  }

  EngineTransaction begin(Duration timeout) throws IOException {
    Duration most = TransactionOptions.MAX_TIMEOUT;
    return client
        .engine()
        .begin(
            TransactionOptions.DEFAULT.withTimeout(timeout.compareTo(most) < 0 ? timeout : most));
  }

  void recordFence(TableName table) throws IOException {
    client.engine().recordFence(table);
  }

  @Override
  public void close() throws IOException {
    client.close();
  }
}
