package io.lampone.benchmarks.operations;

import io.lampone.embedded.ManagerAnswers;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Counts what the fast path asks the transaction manager for, which must be nothing.
 *
 * <p>At the client: its own counter. At the transaction manager, if that runs in this process:
 * validations and statuses, which only clients ask for. Timestamps tell nothing there: region
 * servers fetch them ahead for their local version clocks, twice a second. They are counted too, to
 * be compared with the number of operations.
 */
public final class ManagerCalls {

  private final LongSupplier client;
  private final Optional<Supplier<ManagerAnswers>> manager;

  /** Requests of the client during slices of the fast path. */
  private long fromClient;

  /** Requests to the transaction manager meanwhile that region servers never make. */
  private long atManager;

  /** Timestamps that it gave meanwhile. */
  private long timestamps;

  /** Operations of the fast path. */
  private long operations;

  /**
   * Begins with nothing.
   *
   * @param client requests that the client of the fast path has made; it does nothing else
   */
  ManagerCalls(LongSupplier client, Optional<Supplier<ManagerAnswers>> manager) {
    this.client = client;
    this.manager = manager;
  }

  /** The state of the counters at a moment. */
  private record Reading(long fromClient, ManagerAnswers manager) {}

  /** A slice that is being watched. */
  final class Watch implements AutoCloseable {

    private final Reading before = read();

    private Watch() {}

    /** So many operations of the fast path came to an end meanwhile. */
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

  /** From now on until it is closed, the fast path runs and nothing else does. */
  Watch watch() {
    return new Watch();
  }

  /** All of it. */
  Counts counts() {
    return new Counts(operations, fromClient, atManager, timestamps);
  }

  /**
   * Counts of the fast path, warm-up included.
   *
   * @param operations of the fast path
   * @param fromClient requests to the transaction manager that its client made
   * @param atManager validations and statuses that the transaction manager served meanwhile
   * @param timestamps that region servers fetched ahead meanwhile; 0 if unknown
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
