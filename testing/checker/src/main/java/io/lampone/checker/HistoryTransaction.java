package io.lampone.checker;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Transaction as seen by its client.
 *
 * @param number position in the history, from 0; for messages
 * @param process the logical client: one transaction at a time; never continues after an unknown
 *     outcome
 * @param invokeNanos begin at the client, on the history's one clock
 * @param completeNanos time at which the client received the outcome; {@link #NEVER} if it never
 *     did
 * @param outcome the outcome as far as the client knows it
 * @param operations its operations; reads are filled in only if it is known to have committed, or
 *     if its client was told that it has failed and recorded what it had read before
 * @param id the product's name of the transaction; may be empty
 * @param startTimestamp the product's; 0 if there is none
 * @param commitTimestamp the product's; 0 if there is none
 * @param fastPath true for a single operation outside the order of regular transactions
 * @param serializable true if its reads equal those of a snapshot at its commit timestamp
 * @param scans ranges that it has scanned; filled in like reads
 * @param freshness age of what it has read
 * @param session the client whose processes share what they know; {@link #NO_SESSION} if its
 *     process shares with no other one
 */
public record HistoryTransaction(
    int number,
    int process,
    long invokeNanos,
    long completeNanos,
    Outcome outcome,
    List<Operation> operations,
    String id,
    long startTimestamp,
    long commitTimestamp,
    boolean fastPath,
    boolean serializable,
    List<KeyRange> scans,
    Freshness freshness,
    int session) {

  /** Promise about the age of what a transaction reads, beside what its own process knows. */
  public enum Freshness {
    /** Everything acknowledged before it began. */
    STRICT(0),
    /** A snapshot that is at most a second old. */
    SESSION(1_000),
    /** One state, not necessarily of a snapshot with a timestamp, at most half a second old. */
    LATEST(500);

    private final long staleNanos;

    Freshness(long staleMillis) {
      staleNanos = TimeUnit.MILLISECONDS.toNanos(staleMillis);
    }
  }

  /** Completion time of a transaction whose client never received the outcome. */
  public static final long NEVER = Long.MAX_VALUE;

  /** Session of a process that is one by itself. */
  public static final int NO_SESSION = -1;

  public HistoryTransaction {
    operations = List.copyOf(operations);
    scans = List.copyOf(scans);
  }

  /** Returns true if it wrote a key. */
  public boolean writes() {
    return operations.stream().anyMatch(operation -> !(operation instanceof Operation.Read));
  }

  /**
   * Returns true if its reads are known, and where in the order of commits they were made: it was
   * acknowledged, has committed without the knowledge of its client, or has failed and read before.
   */
  boolean hasKnownReads() {
    return switch (outcome) {
      case OK -> true;
      case UNKNOWN -> commitTimestamp != 0 && (fastPath || startTimestamp != 0);
      case FAILED -> !fastPath && (startTimestamp != 0 || readsWithoutSnapshot());
    };
  }

  /** Returns true if it has read some state without a snapshot that would say which. */
  public boolean readsWithoutSnapshot() {
    return (fastPath || freshness == Freshness.LATEST)
        && startTimestamp == 0
        && commitTimestamp == 0;
  }

  /**
   * Returns the time before which no acknowledged commit may be missed. A LATEST transaction that
   * has taken a snapshot after all has taken a new one.
   */
  public long freshNanos() {
    boolean isNew = freshness == Freshness.LATEST && startTimestamp != 0;
    return invokeNanos - (isNew ? 0 : freshness.staleNanos);
  }

  /** Returns the same transaction of a client with this number. */
  public HistoryTransaction inSession(int client) {
    return new HistoryTransaction(
        number,
        process,
        invokeNanos,
        completeNanos,
        outcome,
        operations,
        id,
        startTimestamp,
        commitTimestamp,
        fastPath,
        serializable,
        scans,
        freshness,
        client);
  }

  /** Returns the same transaction with another freshness. */
  public HistoryTransaction withFreshness(Freshness other) {
    return new HistoryTransaction(
        number,
        process,
        invokeNanos,
        completeNanos,
        outcome,
        operations,
        id,
        startTimestamp,
        commitTimestamp,
        fastPath,
        serializable,
        scans,
        other,
        session);
  }

  /** Returns the same transaction with an outcome that was determined later. */
  public HistoryTransaction resolved(boolean committed, long start, long commit) {
    return new HistoryTransaction(
        number,
        process,
        invokeNanos,
        completeNanos,
        committed ? Outcome.UNKNOWN : Outcome.FAILED,
        operations,
        id,
        start,
        committed ? commit : 0,
        fastPath,
        serializable,
        scans,
        freshness,
        session);
  }

  /** Returns the same transaction, marked as serializable. */
  public HistoryTransaction asSerializable() {
    return new HistoryTransaction(
        number,
        process,
        invokeNanos,
        completeNanos,
        outcome,
        operations,
        id,
        startTimestamp,
        commitTimestamp,
        fastPath,
        true,
        scans,
        freshness,
        session);
  }

  /** Returns the same transaction with these scanned ranges. */
  public HistoryTransaction scanning(List<KeyRange> ranges) {
    return new HistoryTransaction(
        number,
        process,
        invokeNanos,
        completeNanos,
        outcome,
        operations,
        id,
        startTimestamp,
        commitTimestamp,
        fastPath,
        serializable,
        ranges,
        freshness,
        session);
  }

  /** Returns a description of one line. */
  public String describe() {
    StringBuilder text = new StringBuilder("T").append(number).append(" process=").append(process);
    if (session != NO_SESSION) {
      text.append(" session=").append(session);
    }
    if (startTimestamp != 0) {
      text.append(" start=").append(startTimestamp);
    }
    if (commitTimestamp != 0) {
      text.append(" commit=").append(commitTimestamp);
    }
    text.append(' ')
        .append(outcome)
        .append(fastPath ? " fast" : "")
        .append(serializable ? " serializable" : "")
        .append(
            freshness == Freshness.STRICT ? "" : " " + freshness.name().toLowerCase(Locale.ROOT));
    if (!id.isEmpty()) {
      text.append(" id=").append(id);
    }
    for (Operation operation : operations) {
      text.append(' ').append(describe(operation));
    }
    scans.forEach(
        range ->
            text.append(" scan(")
                .append(range.first())
                .append("..")
                .append(range.last())
                .append(')'));
    return text.toString();
  }

  private static String describe(Operation operation) {
    if (operation instanceof Operation.Read read) {
      return "r(" + read.key() + ")=" + read.elements();
    }
    if (operation instanceof Operation.Append append) {
      return "append(" + append.key() + "," + append.element() + ")";
    }
    Operation.Write write = (Operation.Write) operation;
    return "w(" + write.key() + "," + write.value() + ")";
  }
}
