package io.lampone.coprocessor.core.fastpath;

import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.coprocessor.core.visibility.LatestView;
import io.lampone.coprocessor.core.visibility.ReadView;
import io.lampone.coprocessor.core.visibility.SnapshotView;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.trust.IssueProof;
import java.io.IOException;

/**
 * A read of the fast path: one row, at a snapshot that the server picks (protocol page, section 8).
 *
 * <p>The first look takes intents for absent. It is the answer unless an intent was met whose
 * transaction may have committed below what the session knows of or below something that the answer
 * shows: then the snapshot is fixed at the higher of the two, and a second look points to such
 * intents, as a snapshot read does. Where the snapshot must be known beforehand (the row cannot be
 * looked at twice; its version is part of the answer) there is only the second look.
 *
 * <p>Where the latest state is wanted there is only the first look, which points to every intent.
 * It needs no snapshot: a commit that it might miss has an intent in its way, or its cells become
 * visible after the look, and then it has not returned yet (ADR 32).
 *
 * @param <A> what a look brings
 */
public final class FastReading<A> {

  private final FastReadRequest request;
  private final Row<A> row;
  private final RegionGuards guards;

  /** Port: the row that is read. */
  public interface Row<A> {

    /** Raises the clock to {@code snapshot}, and waits for the writes up to it. */
    void raise(long snapshot);

    /** Looks at what the view shows. */
    A look(ReadView view) throws IOException;

    /** The highest commit timestamp in the scope of the read. */
    long version() throws IOException;

    /** A timestamp that has been issued, by which values expire; 0 if none can. */
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
   * Result of the look.
   *
   * @param snapshot commits up to it are shown
   * @param version of the row; 0 unless it was asked for
   * @param fixed whether the snapshot was fixed before the look, so that what it needs might have
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
    if (request.wantsAllIntents()) {
      return readLatest();
    }
    if (request.wantsVersion() || row.isLookedAtOnce()) {
      // The version comes before the cells: one that is too old, because somebody has come between,
      // makes a conditional write fail; one that is too new would make it overwrite what was not
      // read. What had been drawn up to the version is visible once the snapshot is raised to it.
      long version = version();
      return readUpTo(raisedSnapshot(version), version);
    }
    LatestView view = new LatestView(row.now());
    A found = row.look(view);
    guards.requireStoredIssued(view.highestCommit());
    long snapshot = Math.max(view.highestCommit(), request.mark());
    // What is frozen shows less than its commit timestamp; that one was below the safe point.
    return view.lowestIntent() < Math.max(snapshot, guards.safePoint())
        ? readUpTo(raisedSnapshot(snapshot), 0)
        : new Answer<>(found, snapshot, 0, false);
  }

  private Answer<A> readLatest() throws IOException {
    if (row.mayExpire()) {
      // What has expired for a read at the server where the region was must not come back here: a
      // tick that was asked for after the opening is above every clock that the row was read by.
      guards.requireDrawing();
    }
    LatestView view = LatestView.pointing(row.now());
    A found = row.look(view);
    guards.requireStoredIssued(view.highestCommit());
    return new Answer<>(found, Math.max(view.highestCommit(), request.mark()), 0, false);
  }

  /** After the read, before the reply. */
  public void requireHolds(Answer<A> answer) {
    if (answer.fixed()) {
      guards.requireReadable(answer.snapshot());
    }
    guards.requireSession();
  }

  /** Below the safe point commits may lose their timestamps; what is read is of the present. */
  private long version() throws IOException {
    long version = row.version();
    guards.requireStoredIssued(version);
    return version == 0 ? 0 : Math.max(version, guards.safePoint());
  }

  /**
   * A snapshot that shows what the session knows of, of which nothing has been collected, and that
   * does not show what has expired.
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
