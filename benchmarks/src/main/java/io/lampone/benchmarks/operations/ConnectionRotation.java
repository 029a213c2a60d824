package io.lampone.benchmarks.operations;

import io.lampone.client.LamponeClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;

/**
 * Several equal clients of each kind. The event loops that serve a connection, at either end, are
 * fixed when it is opened: two plain HBase connections of one process differ in their median by up
 * to a quarter, round for round. One connection against another would measure this placement. Here
 * each comparison changes connections every time, both sides at random; so do the controls, which
 * show the remaining difference.
 */
final class ConnectionRotation implements AutoCloseable {

  /** Number of connections of each kind. */
  static final int COUNT = 4;

  private final List<Clients> rotation = new ArrayList<>(COUNT);

  /**
   * Clients of one connection: three, so that each can be counted separately.
   *
   * @param plain HBase's own
   * @param fast used only for the fast path
   * @param regular used for the rest
   */
  record Clients(Connection plain, LamponeClient fast, LamponeClient regular)
      implements AutoCloseable {

    @Override
    public void close() throws IOException {
      try (plain;
          fast;
          regular) {
        // Each of them, whatever becomes of the others.
      }
    }
  }

  private ConnectionRotation() {}

  /** Connects all of them. */
  static ConnectionRotation connect(Configuration configuration) throws IOException {
    ConnectionRotation rotation = new ConnectionRotation();
    try {
      for (int i = 0; i < COUNT; i++) {
        rotation.rotation.add(
            new Clients(
                ConnectionFactory.createConnection(configuration),
                LamponeClient.connect(configuration),
                LamponeClient.connect(configuration)));
      }
      return rotation;
    } catch (IOException | RuntimeException e) {
      rotation.close();
      throw e;
    }
  }

  List<Clients> all() {
    return List.copyOf(rotation);
  }

  /** Returns the clients for unmeasured work. */
  Clients first() {
    return rotation.get(0);
  }

  /** Returns the requests of the fast-path clients to the transaction manager. */
  long managerRequestsOfFastClients() {
    return rotation.stream().mapToLong(seat -> seat.fast().metrics().managerRequests()).sum();
  }

  @Override
  public void close() throws IOException {
    IOException failure = null;
    for (Clients seat : rotation) {
      try {
        seat.close();
      } catch (IOException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
