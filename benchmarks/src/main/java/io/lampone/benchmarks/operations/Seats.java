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
 * other would measure where the two have come to sit. Here each comparison changes seats every
 * time, both sides by chance; the controls do so, too, and show what is left of it.
 */
final class Seats implements AutoCloseable {

  /** So many of each kind. */
  static final int COUNT = 4;

  private final List<Clients> seats = new ArrayList<>(COUNT);

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

  private Seats() {}

  /** Connects all of them. */
  static Seats connect(Configuration configuration) throws IOException {
    Seats seats = new Seats();
    try {
      for (int i = 0; i < COUNT; i++) {
        seats.seats.add(
            new Clients(
                ConnectionFactory.createConnection(configuration),
                LamponeClient.connect(configuration),
                LamponeClient.connect(configuration)));
      }
      return seats;
    } catch (IOException | RuntimeException e) {
      seats.close();
      throw e;
    }
  }

  List<Clients> all() {
    return List.copyOf(seats);
  }

  /** The one for what is not measured. */
  Clients first() {
    return seats.get(0);
  }

  /** Requests to the transaction manager that the clients of the fast path have made. */
  long managerRequestsOfFastClients() {
    return seats.stream().mapToLong(seat -> seat.fast().metrics().managerRequests()).sum();
  }

  @Override
  public void close() throws IOException {
    IOException failure = null;
    for (Clients seat : seats) {
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
