package io.lampone.benchmarks.operations;

import io.lampone.embedded.ManagerAnswers;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Counts the requests of the fast path to the transaction manager, which must be none.
 *
 * <p>At the client: its own counter. At the transaction manager, if it runs in this process:
 * validations and status queries, which only clients send. Timestamps are no evidence there: region
 * servers prefetch them for their local version clocks, twice a second. They are counted too, for
 * comparison with the number of operations.
 */
public final class ManagerCalls {

  private final LongSupplier client;
  private final Optional<Supplier<ManagerAnswers>> manager;

  /** Requests of the client during slices of the fast path. */
  private long fromClient;

  /** Requests at the transaction manager that region servers never send. */
  private long atManager;

  /** Timestamps issued meanwhile. */
  private long timestamps;

  /** Operations of the fast path. */
  private long operations;

  /**
   * Starts at zero.
   *
   * @param client requests of the client of the fast path, which has no other use
   */
  ManagerCalls(LongSupplier client, Optional<Supplier<ManagerAnswers>> manager) {
    this.client = client;
    this.manager = manager;
  }

  /** The state of the counters at a moment. */
  private record Reading(long fromClient, ManagerAnswers manager) {}

  /** Period of fast-path operations under observation. */
  final class Watch implements AutoCloseable {

    private final Reading before = read();

    private Watch() {}

    /** Adds completed operations of the fast path. */
    void counted(long more) {
      operations += more;
    }

    @Override
    public void close() {
      Reading now = read();
      fromClient += now.fromClient - before.fromClient;
      atManager +=
          now.manager.validations()
              - before.manager.validations()
              + now.manager.statuses()
              - before.manager.statuses();
      timestamps += now.manager.timestamps() - before.manager.timestamps();
    }
  }

  /** Starts a period, until it is closed, in which only the fast path runs. */
  Watch watch() {
    return new Watch();
  }

  /** Returns all counts. */
  Counts counts() {
    return new Counts(operations, fromClient, atManager, timestamps);
  }

  /**
   * Counts of the fast path, warm-up included.
   *
   * @param operations operations of the fast path
   * @param fromClient requests of its client to the transaction manager
   * @param atManager validations and status queries that the transaction manager served meanwhile
   * @param timestamps timestamps that region servers prefetched meanwhile; 0 if unknown
   */
  public record Counts(long operations, long fromClient, long atManager, long timestamps) {

    /** Returns the requests of the fast path, by the counter that shows more. */
    public long calls() {
      return Math.max(fromClient, atManager);
    }
  }

  private Reading read() {
    return new Reading(
        client.getAsLong(), manager.map(Supplier::get).orElse(new ManagerAnswers(0, 0, 0)));
  }
}
