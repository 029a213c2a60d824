package io.lampone.client;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;

/**
 * Immutable options of a transaction; each {@code with} method returns a changed copy.
 *
 * @param timeout longest duration of the transaction, from begin to the end of commit; also bounds
 *     each wait inside it
 * @param priority admission priority of begin and commit at an overloaded transaction manager
 * @param retries largest number of retries of {@code run} on a new snapshot
 * @param readOnly whether writes are refused
 * @param oneRegionCommit whether a transaction with writes in only one region commits in one round
 *     trip there, without the transaction manager. Disabled only to measure the benefit
 * @param isolation empty = the client's property {@code lampone.client.isolation}
 * @param freshness age of the snapshot
 */
public record TransactionOptions(
    Duration timeout,
    Priority priority,
    int retries,
    boolean readOnly,
    boolean oneRegionCommit,
    Optional<Isolation> isolation,
    Freshness freshness) {

  /** Longest timeout. */
  public static final Duration MAX_TIMEOUT = Duration.ofHours(24);

  /** Most retries. */
  public static final int MAX_RETRIES = 1000;

  /** Admission priority at the transaction manager. */
  public enum Priority {
    /** Highest priority, for internal work of the system. */
    SYSTEM(io.lampone.protocol.wire.Priority.SYSTEM),
    /** Requests of applications. */
    DEFAULT(io.lampone.protocol.wire.Priority.DEFAULT),
    /** Lowest priority, refused first under overload. */
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
          Duration.ofMinutes(1),
          Priority.DEFAULT,
          10,
          false,
          true,
          Optional.empty(),
          Freshness.STRICT);

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

  /** Returns these options with another timeout. */
  public TransactionOptions withTimeout(Duration newTimeout) {
    return new TransactionOptions(
        newTimeout, priority, retries, readOnly, oneRegionCommit, isolation, freshness);
  }

  /** Returns these options with another priority. */
  public TransactionOptions withPriority(Priority newPriority) {
    return new TransactionOptions(
        timeout, newPriority, retries, readOnly, oneRegionCommit, isolation, freshness);
  }

  /** Returns these options with another number of retries. */
  public TransactionOptions withRetries(int newRetries) {
    return new TransactionOptions(
        timeout, priority, newRetries, readOnly, oneRegionCommit, isolation, freshness);
  }

  /** Returns these options for a read-only transaction. */
  public TransactionOptions asReadOnly() {
    return new TransactionOptions(
        timeout, priority, retries, true, oneRegionCommit, isolation, freshness);
  }

  /** Returns these options without one-region commit: commits use intents and validation. */
  public TransactionOptions withoutOneRegionCommit() {
    return new TransactionOptions(
        timeout, priority, retries, readOnly, false, isolation, freshness);
  }

  /** Returns these options with an isolation that overrides the client's default. */
  public TransactionOptions withIsolation(Isolation newIsolation) {
    return new TransactionOptions(
        timeout,
        priority,
        retries,
        readOnly,
        oneRegionCommit,
        Optional.of(newIsolation),
        freshness);
  }

  /** Returns the options of an attempt after one that has failed. */
  TransactionOptions after(Throwable failure) {
    Throwable cause = failure instanceof UncheckedIOException ? failure.getCause() : failure;
    // On a snapshot, LATEST cannot meet a conflict again; one at hand is older than the winner.
    return cause instanceof ConflictException ? withFreshness(Freshness.STRICT) : this;
  }

  /** Returns these options with another freshness. */
  public TransactionOptions withFreshness(Freshness newFreshness) {
    return new TransactionOptions(
        timeout, priority, retries, readOnly, oneRegionCommit, isolation, newFreshness);
  }
}
