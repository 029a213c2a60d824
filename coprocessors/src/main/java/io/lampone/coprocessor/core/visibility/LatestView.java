package io.lampone.coprocessor.core.visibility;

import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import org.jspecify.annotations.Nullable;

/**
 * View of everything that is committed, at whatever timestamp. It either treats intents as absent
 * and records that it met one, or reports each as undecided. All cells must be read at one MVCC
 * read point; otherwise the view could show half of a transaction that is being healed.
 */
public final class LatestView implements ReadView {

  private final long now;
  private final Verdict ofIntents;
  private long highestCommit;
  private long lowestIntent = Long.MAX_VALUE;
  private @Nullable TransactionCell intent;

  /**
   * @param now an issued timestamp: values that have expired by then are not shown
   */
  public LatestView(long now) {
    this(now, Verdict.INVISIBLE);
  }

  private LatestView(long now, Verdict ofIntents) {
    this.now = now;
    this.ofIntents = ofIntents;
  }

  /** Returns a view that reports intents as undecided. */
  public static LatestView pointing(long now) {
    return new LatestView(now, Verdict.UNDECIDED);
  }

  /** Returns true if intents are undecided in this view. */
  public boolean isPointing() {
    return ofIntents == Verdict.UNDECIDED;
  }

  @Override
  public long snapshot() {
    return Long.MAX_VALUE;
  }

  @Override
  public long expiredBelow() {
    return now + 1;
  }

  /** Counts the expiry like a delete committed at that time. */
  @Override
  public void hidExpired(long expiry) {
    highestCommit = Math.max(highestCommit, expiry);
  }

  @Override
  public long highestVersion() {
    return Long.MAX_VALUE - 1;
  }

  @Override
  public Verdict ofCommittedAtBirth(long version) {
    if (!Timestamps.isPlain(version)) {
      highestCommit = Math.max(highestCommit, version);
    }
    return Verdict.VISIBLE;
  }

  @Override
  public Verdict of(long version, TransactionCell cell, StoredRow row, Bytes family) {
    if (cell.rolledBackSlots().contains(Timestamps.local(version))) {
      return Verdict.INVISIBLE;
    }
    switch (cell.state()) {
      case COMMITTED, FINAL -> {
        highestCommit = Math.max(highestCommit, cell.commitTimestamp());
        return Verdict.VISIBLE;
      }
      case PENDING -> {
        if (Timestamps.tick(version) < lowestIntent) {
          lowestIntent = Timestamps.tick(version);
          intent = cell;
        }
        return ofIntents;
      }
      case ABORTED -> {}
    }
    return Verdict.INVISIBLE;
  }

  /** Returns the highest commit timestamp or expiry of what was visible; 0 if there is none. */
  public long highestCommit() {
    return highestCommit;
  }

  /** Returns the smallest start timestamp of an intent met; the maximum if there is none. */
  public long lowestIntent() {
    return lowestIntent;
  }

  /** Returns the transaction cell of that intent. */
  public @Nullable TransactionCell intent() {
    return intent;
  }
}
