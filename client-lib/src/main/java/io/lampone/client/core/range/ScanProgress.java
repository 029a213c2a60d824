package io.lampone.client.core.range;

import io.lampone.protocol.Bytes;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Part of its range that a scan of a serializable transaction has shown to the application: the
 * whole range if the application has been shown the end, else up to the last row returned. A scan
 * that reached its limit ends behind its last row. Filters do not narrow the range.
 *
 * <p>Called by one thread at a time, before the application gets the result.
 */
public final class ScanProgress {

  /** Progress of scans that need no certification. */
  public static final ScanProgress NONE = new ScanProgress(RowRange.ALL, false, 0, ended -> {});

  private final RowRange whole;
  private final boolean reversed;
  // 0 = none
  private final int limit;
  private final Consumer<ScanProgress> onEnd;

  // written by one thread at a time, read by the committing one
  private volatile @Nullable Bytes last;
  private volatile boolean complete;
  private volatile boolean ended;
  private int rows;

  /**
   * @param onEnd called once
   */
  ScanProgress(RowRange whole, boolean reversed, int limit, Consumer<ScanProgress> onEnd) {
    this.whole = whole;
    this.reversed = reversed;
    this.limit = Math.max(0, limit);
    this.onEnd = onEnd;
  }

  /** Returns true if progress must be recorded. */
  public boolean isKept() {
    return this != NONE;
  }

  /** Records a row, or a part of one, that is returned to the application. */
  public void returned(Bytes row) {
    if (isKept() && !ended) {
      Bytes before = last;
      if (before == null || !before.equals(row)) {
        last = row;
        rows++;
      }
    }
  }

  /** Records that the application has been shown the end of the range. */
  public void completed() {
    if (isKept() && !ended) {
      complete = true;
      end();
    }
  }

  /** Records that the scan ends early, by the application or by a failure. */
  public void closed() {
    if (isKept() && !ended) {
      end();
    }
  }

  private void end() {
    ended = true;
    onEnd.accept(this);
  }

  /** Returns the scanned rows; empty if there are none. */
  Optional<RowRange> covered() {
    if (complete && (limit == 0 || rows < limit)) {
      return Optional.of(whole);
    }
    Bytes row = last;
    if (row == null) {
      return Optional.empty();
    }
    return Optional.of(reversed ? whole.startingAt(row) : whole.endingAt(row));
  }
}
