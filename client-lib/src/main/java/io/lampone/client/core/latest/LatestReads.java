package io.lampone.client.core.latest;

import io.lampone.client.ConflictException.Kind;
import io.lampone.client.core.CommitOutcome.Conflict;
import io.lampone.client.core.failure.TransactionEndedException;
import io.lampone.client.core.step.Gate;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.request.FastReadReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads of a transaction without a snapshot: Centiman's local check (ADR 95). Each reply says which
 * snapshots show the same. While one of them is common to all replies, the transaction has read
 * that snapshot, and no other process need be asked.
 *
 * <p>Where a reply leaves none, or meets an undecided intent, the transaction takes a snapshot, and
 * reads there again what it has read before. If that is unchanged, it continues on the snapshot;
 * else it has ended with a conflict. In both cases the reply is discarded and its rows are read in
 * the snapshot, so the application never sees a state that was none.
 *
 * <p>Thread-safe; guarded by its own monitor.
 *
 * @param <G> a read of one row
 * @param <R> what it shows
 */
public final class LatestReads<G, R> {

  /** Bytes shown beyond which nothing more is kept. */
  private static final long MAX_KEPT_BYTES = 4L << 20;

  private final Rows<G, R> rows;
  private final int maxKept;

  // reads before a snapshot was taken, and what they have shown
  private final List<G> kept = new ArrayList<>();
  private final List<R> shown = new ArrayList<>();
  private long shownBytes;

  // the snapshots that show all of them, both inclusive
  private long lowest;
  private long highest = Long.MAX_VALUE;

  /** Opens when there is a snapshot that shows what was read before; null until one is needed. */
  private @Nullable Gate<Void> snapshot;

  private @Nullable Conflict conflict;

  /**
   * Port: rows of the database.
   *
   * @param <G> a read of one row
   * @param <R> what it shows
   */
  public interface Rows<G, R> {

    /** Reads the latest state of rows, in the order of {@code gets}. */
    Step<List<Current<R>>> current(List<G> gets);

    /** Takes a new snapshot, in place of an earlier one. */
    Step<Void> takeSnapshot();

    /** Reads rows in that snapshot, in the order of {@code gets}. */
    Step<List<R>> inSnapshot(List<G> gets);

    /** Returns true if an application cannot tell two answers to one read apart. */
    boolean isSame(R one, R other);

    /** Returns the size of an answer in bytes, roughly. */
    long bytes(R shown);

    /** Returns a place in the row. */
    RowFamily place(G get);
  }

  /**
   * Latest state of a row.
   *
   * @param reply snapshots that show the same
   * @param isUndecided true if an intent of unknown fate is in the way; nothing is shown then
   */
  public record Current<R>(R shown, FastReadReply reply, boolean isUndecided) {}

  /**
   * @param maxKept number of rows beyond which a snapshot is taken
   */
  public LatestReads(Rows<G, R> rows, int maxKept) {
    this.rows = rows;
    this.maxKept = maxKept;
  }

  /**
   * Reads rows, in the order of {@code gets}. Fails with {@link TransactionEndedException} if what
   * was read before has changed.
   */
  public Step<List<R>> read(List<G> gets) {
    if (isOnSnapshot()) {
      return readInSnapshot(gets);
    }
    return rows.current(gets)
        .then(
            found ->
                keep(gets, found)
                    ? Step.done(found.stream().map(Current::shown).toList())
                    : readInSnapshot(gets));
  }

  /** Returns true if a snapshot has been taken, or is being taken. */
  public synchronized boolean isOnSnapshot() {
    return snapshot != null;
  }

  /** Returns the conflict with which the transaction has ended. */
  public synchronized Optional<Conflict> conflict() {
    return Optional.ofNullable(conflict);
  }

  /** Returns the highest snapshot that shows all that was read without one. */
  public synchronized long highest() {
    return highest;
  }

  /** Returns the lowest snapshot that shows all that was read without one. */
  public synchronized long lowest() {
    return lowest;
  }

  /** Keeps what was found if it has a snapshot in common with everything before. */
  private synchronized boolean keep(List<G> gets, List<Current<R>> found) {
    if (snapshot != null || kept.size() + found.size() > maxKept || shownBytes >= MAX_KEPT_BYTES) {
      return false;
    }
    long from = lowest;
    long to = highest;
    for (Current<R> one : found) {
      from = Math.max(from, one.reply().version());
      to = Math.min(to, one.reply().snapshot());
      if (one.isUndecided() || from > to) {
        return false;
      }
    }
    lowest = from;
    highest = to;
    kept.addAll(gets);
    for (Current<R> one : found) {
      shown.add(one.shown());
      shownBytes += rows.bytes(one.shown());
    }
    return true;
  }

  private Step<List<R>> readInSnapshot(List<G> gets) {
    return onSnapshot().then(taken -> rows.inSnapshot(gets));
  }

  private Step<Void> onSnapshot() {
    Gate<Void> mine;
    synchronized (this) {
      if (snapshot != null) {
        return snapshot.passed();
      }
      mine = new Gate<>();
      snapshot = mine;
    }
    return rows.takeSnapshot()
        .then(taken -> compare())
        .next(
            event -> {
              ended(event.failure() == null);
              mine.open(event.end());
              return event.end();
            });
  }

  /** A later read tries again to take a snapshot, unless the transaction has ended. */
  private synchronized void ended(boolean taken) {
    if (taken || conflict != null) {
      kept.clear();
      shown.clear();
    } else {
      snapshot = null;
    }
  }

  private Step<Void> compare() {
    List<G> before;
    synchronized (this) {
      before = List.copyOf(kept);
    }
    return before.isEmpty() ? Step.done() : rows.inSnapshot(before).then(again -> compare(again));
  }

  /** Ends the transaction if what is shown in the snapshot is not what was shown before. */
  private synchronized Step<Void> compare(List<R> again) {
    for (int i = 0; i < again.size(); i++) {
      if (!rows.isSame(shown.get(i), again.get(i))) {
        conflict = new Conflict(rows.place(kept.get(i)), 0, Kind.READ_WRITE);
        return Step.failed(new TransactionEndedException(conflict));
      }
    }
    return Step.done();
  }
}
