package io.lampone.coprocessor.core.visibility;

import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import org.jspecify.annotations.Nullable;

/**
 * Sees what is committed, whenever it was; takes intents for absent and remembers that it did, or
 * says of each that it is undecided. All cells that it judges must be read at one moment (one MVCC
 * read point), or it would see half of a transaction that is being healed.
 */
public final class LatestView implements ReadView {

  private final long now;
  private final Verdict ofIntents;
  private long highestCommit;
  private long lowestIntent = Long.MAX_VALUE;
  private @Nullable TransactionCell intent;

  /**
   * @param now a timestamp that has been issued: what has expired up to it is not shown
   */
  public LatestView(long now) {
    this(now, Verdict.INVISIBLE);
  }

  private LatestView(long now, Verdict ofIntents) {
    this.now = now;
    this.ofIntents = ofIntents;
  }

  /** One to which intents are not absent but undecided. */
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

  /** As a delete would have been that committed then. */
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

  /** The highest commit timestamp of what was visible, expiries among them, 0 if nothing was. */
  public long highestCommit() {
    return highestCommit;
  }

  /** The smallest start timestamp of an intent that was met; else the maximum. */
  public long lowestIntent() {
    return lowestIntent;
  }

  /** The transaction cell of that intent. */
  public @Nullable TransactionCell intent() {
    return intent;
  }
}
