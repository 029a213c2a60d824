package io.lampone.coprocessor.core.fastpath;

import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.coprocessor.core.visibility.LatestView;
import io.lampone.coprocessor.core.visibility.ReadView;
import io.lampone.coprocessor.core.visibility.SnapshotView;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastReadRequest.Wants;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.trust.IssueProof;
import java.io.IOException;

/**
 * A fast-path read: one row, at a snapshot that the server chooses (protocol page, section 8).
 *
 * <p>The first pass treats intents as absent. Its result is the answer unless it met an intent
 * whose transaction may have committed below the session's mark or below a commit that the answer
 * shows. In that case the snapshot is fixed at the higher of the two, and a second pass returns
 * pointers to such intents, as a snapshot read does. Where the snapshot must be known beforehand
 * (the row can be read only once, or its version is returned) there is only the second pass.
 *
 * <p>A read of the latest state makes only the first pass, which returns a pointer to every intent.
 * It needs no snapshot: a commit that it might miss has an intent in its way, or its cells become
 * visible after the pass, and then it has not returned yet (ADR 32). A read of an interval does the
 * same (ADR 95).
 *
 * @param <A> the result of a pass
 */
public final class FastReading<A> {

  private final FastReadRequest request;
  private final Row<A> row;
  private final RegionGuards guards;

  /** Port: the row that is read. */
  public interface Row<A> {

    /** Raises the clock to {@code snapshot}, and waits for the writes up to it. */
    void raise(long snapshot);

    /** Returns what the view shows. */
    A look(ReadView view) throws IOException;

    /** Returns the highest commit timestamp in the scope of the read. */
    long version() throws IOException;

    /** Returns the clock of the server. */
    long clock();

    /** Returns the lowest snapshot of the table that is readable whatever the safe point. */
    default long floor() {
      return 0;
    }

    /** Returns an issued timestamp by which values expire; 0 if none can expire. */
    default long now() {
      return 0;
    }

    /** Returns true if values of the row may expire. */
    default boolean mayExpire() {
      return false;
    }

    /** Returns true if {@link #look} may be called only once. */
    boolean isLookedAtOnce();
  }

  /**
   * Result of the read.
   *
   * @param snapshot commits up to it are shown
   * @param version of the row, or the lowest snapshot that shows the same; 0 unless it was
   *     requested
   * @param fixed whether the snapshot was fixed before the pass, so that data it needs might have
   *     been collected
   */
  public record Answer<A>(A found, long snapshot, long version, boolean fixed) {}

  public FastReading(FastReadRequest request, Row<A> row, RegionGuards guards) {
    this.request = request;
    this.row = row;
    this.guards = guards;
  }

  /** Reads; {@link #requireHolds} must follow. */
  public Answer<A> read() throws IOException {
    long known = Math.max(request.mark(), request.upTo());
    if (known != 0) {
      row.raise(known);
    }
    if (request.upTo() != 0) {
      long version = request.wantsVersion() ? version() : 0;
      return readUpTo(request.upTo(), Math.min(request.upTo(), version));
    }
    if (request.wants() == Wants.INTERVAL) {
      return readInterval();
    }
    if (request.wantsAllIntents()) {
      return readLatest();
    }
    if (request.wantsVersion() || row.isLookedAtOnce()) {
      // The version precedes the cells. If it is too old because of a concurrent write, a
      // conditional write fails; if it were too new, that write would overwrite what was not read.
      // Everything drawn up to the version is visible once the snapshot is raised to it.
      long version = version();
      return readUpTo(raisedSnapshot(version), version);
    }
    LatestView view = new LatestView(row.now());
    A found = row.look(view);
    guards.requireStoredIssued(view.highestCommit());
    long snapshot = Math.max(view.highestCommit(), request.mark());
    // A frozen version shows less than its commit timestamp, which was below the safe point.
    return view.lowestIntent() < Math.max(snapshot, guards.safePoint())
        ? readUpTo(raisedSnapshot(snapshot), 0)
        : new Answer<>(found, snapshot, 0, false);
  }

  private Answer<A> readLatest() throws IOException {
    if (row.mayExpire()) {
      // A value that has expired for a read at the region's previous server must not reappear here:
      // a tick requested after the opening is above every clock by which the row was read.
      guards.requireDrawing();
    }
    LatestView view = LatestView.pointing(row.now());
    A found = row.look(view);
    guards.requireStoredIssued(view.highestCommit());
    return new Answer<>(found, Math.max(view.highestCommit(), request.mark()), 0, false);
  }

  /**
   * Reads the latest state and the snapshots that show the same. The highest is the clock before
   * the look: everything that commits up to it is visible then, or an intent in the way. The lowest
   * is the highest commit timestamp of what is shown and of what hides something. It is not below
   * the safe point of after the look, below which timestamps are changed and tombstones go.
   */
  private Answer<A> readInterval() throws IOException {
    long clock = row.clock();
    row.raise(clock);
    LatestView view = LatestView.pointing(row.mayExpire() ? clock : 0);
    A found = row.look(view);
    guards.requireStoredIssued(view.highestCommit());
    long readable = Math.max(row.floor(), guards.safePoint());
    return new Answer<>(found, clock, Math.max(view.highestCommit(), readable), false);
  }

  /** Checks safe point and session after the read, before the reply. */
  public void requireHolds(Answer<A> answer) {
    if (answer.fixed()) {
      guards.requireReadable(answer.snapshot());
    }
    guards.requireSession();
  }

  /** Returns the version, at least the safe point: below it commits may lose their timestamps. */
  private long version() throws IOException {
    long version = row.version();
    guards.requireStoredIssued(version);
    return version == 0 ? 0 : Math.max(version, guards.safePoint());
  }

  /**
   * Returns a snapshot that shows everything the session knows, of which nothing has been
   * collected, and that does not show expired values.
   */
  private long raisedSnapshot(long atLeast) {
    long known = Math.max(request.mark(), row.now());
    long snapshot = Math.max(atLeast, Math.max(known, guards.safePoint()));
    if (snapshot != 0) {
      guards.requireIssued(snapshot, IssueProof.NONE);
      row.raise(snapshot);
    }
    return snapshot;
  }

  private Answer<A> readUpTo(long snapshot, long version) throws IOException {
    ReadRequest below = new ReadRequest(snapshot + 1, false, 0, SlotSet.NONE, request.judgments());
    return new Answer<>(
        row.look(new SnapshotView(below, guards)),
        snapshot,
        request.wantsVersion() ? version : 0,
        true);
  }
}
