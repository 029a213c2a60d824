package io.lampone.phoenix;

import io.lampone.client.LamponeClient;
import io.lampone.client.TransactionOptions;
import io.lampone.client.spi.EngineTransaction;
import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.hbase.TableName;
import org.apache.phoenix.transaction.PhoenixTransactionClient;

/** Client of the transactions of all Phoenix connections to one cluster. */
final class PhoenixClient implements PhoenixTransactionClient {

  private final LamponeClient client;

  PhoenixClient(LamponeClient client) {
    this.client = client;
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
