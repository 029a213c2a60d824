package io.lampone.client;

import java.time.Duration;
import java.util.Optional;

/**
 * Options of a transaction. Values; each {@code with} method gives a changed copy.
 *
 * @param timeout how long the transaction may live, from begin to the end of commit; also bounds
 *     each wait inside it
 * @param priority how the transaction manager treats its begin and its commit when it has too much
 *     to do
 * @param retries how often {@code run} may start again on a new snapshot after the first attempt
 * @param readOnly whether writes are refused
 * @param oneRegionCommit whether a transaction that has written rows of one region only commits in
 *     one round trip there, without the transaction manager. Off only to measure what it gives
 * @param isolation empty = what the client's property {@code lampone.client.isolation} says
 */
public record TransactionOptions(
    Duration timeout,
    Priority priority,
    int retries,
    boolean readOnly,
    boolean oneRegionCommit,
    Optional<Isolation> isolation) {

  /** Longest timeout. */
  public static final Duration MAX_TIMEOUT = Duration.ofHours(24);

  /** Most retries. */
  public static final int MAX_RETRIES = 1000;

  /** Order of admission at the transaction manager. */
  public enum Priority {
    /** Before everything else: for the system's own work. */
    SYSTEM(io.lampone.protocol.wire.Priority.SYSTEM),
    /** Requests of applications. */
    DEFAULT(io.lampone.protocol.wire.Priority.DEFAULT),
    /** Refused first. */
    BATCH(io.lampone.protocol.wire.Priority.BATCH);

    private final io.lampone.protocol.wire.Priority onTheWire;

    Priority(io.lampone.protocol.wire.Priority onTheWire) {
      this.onTheWire = onTheWire;
    }

    io.lampone.protocol.wire.Priority onTheWire() {
      return onTheWire;
    }
  }

  /** One minute, default priority, ten retries, reads and writes. */
  public static final TransactionOptions DEFAULT =
      new TransactionOptions(
          Duration.ofMinutes(1), Priority.DEFAULT, 10, false, true, Optional.empty());

  public TransactionOptions {
    if (timeout.isNegative() || timeout.isZero() || timeout.compareTo(MAX_TIMEOUT) > 0) {
      throw new IllegalArgumentException(
          "timeout must be positive and at most " + MAX_TIMEOUT + ", timeout=" + timeout);
    }
    if (retries < 0 || retries > MAX_RETRIES) {
      throw new IllegalArgumentException(
          "retries must be in 0.." + MAX_RETRIES + ", retries=" + retries);
    }
  }

  /** These options with another timeout. */
  public TransactionOptions withTimeout(Duration newTimeout) {
    return new TransactionOptions(
        newTimeout, priority, retries, readOnly, oneRegionCommit, isolation);
  }

  /** These options with another priority. */
  public TransactionOptions withPriority(Priority newPriority) {
    return new TransactionOptions(
        timeout, newPriority, retries, readOnly, oneRegionCommit, isolation);
  }

  /** These options with another number of retries. */
  public TransactionOptions withRetries(int newRetries) {
    return new TransactionOptions(
        timeout, priority, newRetries, readOnly, oneRegionCommit, isolation);
  }

  /** These options, writes refused. */
  public TransactionOptions asReadOnly() {
    return new TransactionOptions(timeout, priority, retries, true, oneRegionCommit, isolation);
  }

  /** These options, every commit by intents and validation. */
  public TransactionOptions withoutOneRegionCommit() {
    return new TransactionOptions(timeout, priority, retries, readOnly, false, isolation);
  }

  /** These options with another isolation, whatever the client's default is. */
  public TransactionOptions withIsolation(Isolation newIsolation) {
    return new TransactionOptions(
        timeout, priority, retries, readOnly, oneRegionCommit, Optional.of(newIsolation));
  }
}
