package io.lampone.phoenix;

import io.lampone.client.LamponeClient;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.security.PrivilegedExceptionAction;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Put;
import org.apache.phoenix.jdbc.ConnectionInfo;
import org.apache.phoenix.jdbc.PhoenixConnection;
import org.apache.phoenix.query.QueryServices;
import org.apache.phoenix.query.QueryServicesOptions;
import org.apache.phoenix.transaction.PhoenixTransactionClient;
import org.apache.phoenix.transaction.PhoenixTransactionContext;
import org.apache.phoenix.transaction.PhoenixTransactionProvider;
import org.apache.phoenix.transaction.TransactionFactory;
import org.jspecify.annotations.Nullable;

/** Phoenix's transaction provider: contexts of SQL transactions that are Lampone's. */
final class PhoenixProvider implements PhoenixTransactionProvider {

  /** Present while the thread makes an adopted table transactional in Phoenix's catalogue. */
  private final ThreadLocal<Boolean> altering = new ThreadLocal<>();

  /** A statement that makes a prepared table transactional. */
  @FunctionalInterface
  interface Alteration {
    void run() throws SQLException;
  }

  @Override
  public PhoenixTransactionClient getTransactionClient(Configuration config, ConnectionInfo info)
      throws SQLException {
    // Only the URL says where ZooKeeper is.
    Configuration own = new Configuration(config);
    for (Map.Entry<String, String> property : info.asProps()) {
      own.set(property.getKey(), property.getValue());
    }
    String quorum = own.get(HConstants.CLIENT_ZOOKEEPER_QUORUM);
    if (quorum != null) {
      own.set(HConstants.ZOOKEEPER_QUORUM, quorum);
    }
    try {
      // Phoenix asks with the first statement, which another user's thread may run.
      LamponeClient client =
          info.getUser()
              .runAs((PrivilegedExceptionAction<LamponeClient>) () -> LamponeClient.connect(own));
      return new PhoenixClient(
          client, own.get(SqlConnectionProperties.ISOLATION, ""), SystemClock.INSTANCE);
    } catch (IOException e) {
      throw SqlFailures.of(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw SqlFailures.of(new InterruptedIOException("interrupted while connecting"));
    }
  }

  @Override
  public PhoenixTransactionContext getTransactionContext(PhoenixConnection connection)
      throws SQLException {
    PhoenixClient client = PhoenixClient.of(connection);
    long timeout =
        connection
            .getQueryServices()
            .getProps()
            .getLong(
                QueryServices.THREAD_TIMEOUT_MS_ATTRIB,
                QueryServicesOptions.DEFAULT_THREAD_TIMEOUT_MS);
    return new SqlContext(
        client,
        fenced ->
            new SqlConnectionProperties(connection)
                .begin(client, Duration.ofMillis(timeout), fenced),
        begun -> client.begun(connection, begun),
        new SqlCatalogue(connection));
  }

  /** Phoenix calls it on region servers, for what {@link #isUnsupported} makes it refuse before. */
  @Override
  public PhoenixTransactionContext getTransactionContext(byte[] bytes) throws IOException {
    throw new IOException(
        "a region server takes no part in Lampone's transactions: local and uncovered indexes of"
            + " transactional tables are not supported");
  }

  @Override
  public String getCoprocessorClassName() {
    return TableSettings.COPROCESSOR;
  }

  @Override
  public @Nullable String getGCCoprocessorClassName() {
    return null;
  }

  @Override
  public TransactionFactory.Provider getProvider() {
    return TransactionFactory.Provider.OMID;
  }

  /** The master refuses {@link Feature#SET_TTL} unless its administrator has allowed it. */
  @Override
  public boolean isUnsupported(Feature feature) {
    return switch (feature) {
      case SET_TTL, COLUMN_ENCODING -> false;
      case ALTER_NONTX_TO_TX -> altering.get() == null;
      default -> true;
    };
  }

  /** Runs a statement to which altering a table is supported; see {@link TableAdoption}. */
  void altering(Alteration alteration) throws SQLException {
    altering.set(true);
    try {
      alteration.run();
    } finally {
      altering.remove();
    }
  }

  /** Region servers write as any client, and are refused: the rows come by the client. */
  @Override
  public Put markPutAsCommitted(Put put, long timestamp, long commitTimestamp) {
    return put;
  }

  /** As it is called in DDL. */
  @Override
  public String toString() {
    return getProvider().toString();
  }
}
