package io.lampone.benchmarks.operations;

import io.lampone.client.LamponeClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;

/**
 * Several clients of each kind, all alike. Which of a process's event loops serve a connection, at
 * either end, is decided when it is opened, and stays so: two plain HBase connections of one
 * process differ in their median by up to a quarter, round for round. So one connection against one
 * other would measure where the two have come to sit. Here each comparison changes connections
 * every time, both sides by chance; the controls do so, too, and show what is left of it.
 */
final class ConnectionRotation implements AutoCloseable {

  /** So many of each kind. */
  static final int COUNT = 4;

  private final List<Clients> rotation = new ArrayList<>(COUNT);

  /**
   * The clients of a seat: three, so that each can be counted by itself.
   *
   * @param plain HBase's own
   * @param fast does nothing but the fast path
   * @param regular does everything else
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

  /** The one for what is not measured. */
  Clients first() {
    return rotation.get(0);
  }

  /** Requests to the transaction manager that the clients of the fast path have made. */
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
