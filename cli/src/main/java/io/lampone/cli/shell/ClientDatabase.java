package io.lampone.cli.shell;

import io.lampone.client.LamponeAdmin;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionClient.TransactionFunction;
import io.lampone.client.TransactionOptions;
import io.lampone.client.TransactionOutcome;
import io.lampone.client.fastpath.FastPathId;
import io.lampone.protocol.TransactionId;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;

/** Cluster access through a dedicated client. */
public final class ClientDatabase implements Database {

  private final Configuration configuration;
  private final LamponeClient client;

  private ClientDatabase(Configuration configuration, LamponeClient client) {
    this.configuration = configuration;
    this.client = client;
  }

  /** Connects; {@link #close} disconnects. */
  public static ClientDatabase connect(Configuration configuration) throws IOException {
    return new ClientDatabase(configuration, LamponeClient.connect(configuration));
  }

  @Override
  public <T> T run(TransactionOptions options, TransactionFunction<T, RuntimeException> work)
      throws IOException {
    return client.run(options, work);
  }

  @Override
  public Transaction begin(TransactionOptions options) throws IOException {
    return client.begin(options);
  }

  @Override
  public Transaction asOf(long timestamp, TransactionOptions options) throws IOException {
    return client.asOf(timestamp, options);
  }

  @Override
  public TransactionOutcome status(TransactionId id) throws IOException {
    return client.status(id);
  }

  @Override
  public TransactionOutcome outcome(FastPathId id) throws IOException {
    return client.fastPath().outcome(id);
  }

  @Override
  public LamponeAdmin admin() {
    return client.admin();
  }

  @Override
  public void deleteTable(TableName name) throws IOException {
    try (Connection hbase = ConnectionFactory.createConnection(configuration);
        Admin admin = hbase.getAdmin()) {
      if (admin.isTableEnabled(name)) {
        admin.disableTable(name);
      }
      admin.deleteTable(name);
    }
  }

  @Override
  public void close() throws IOException {
    client.close();
  }
}
