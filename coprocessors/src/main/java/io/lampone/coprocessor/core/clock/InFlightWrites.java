package io.lampone.coprocessor.core.clock;

import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.request.Refusal;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Writes of one region that are committed at birth and not yet visible (protocol page, section 8,
 * E1). A version is drawn some time before readers can see it. A reader that has raised the clock
 * past the version and does not see it yet would miss a commit below its snapshot.
 *
 * <p>A writer registers BEFORE it draws, and is removed when HBase has made its cells visible or
 * has rolled them back. A reader raises the clock BEFORE it looks here. If the writer drew after
 * the clock had been raised, its version is above the snapshot. If it drew before, it had
 * registered before, so the reader finds it here or sees its cells. A write that has not drawn yet
 * counts as below every snapshot.
 *
 * <p>A write that HBase fails after it began to log it stays here, <em>in doubt</em>, until the
 * region is opened again: its cells are not in the store, but may be in the log, from which a
 * recovery brings them back. Readers above its version and writers of its rows are refused.
 *
 * <p>A reader that waits here holds no row lock. A writer waits before it registers, and for writes
 * of rows whose locks it holds, which therefore need no lock any more. So there is no deadlock.
 */
public final class InFlightWrites {

  /** Number of lists over which rows are spread; a power of two. */
  private static final int STRIPES = 64;

  /** List of writes with too many rows to spread, checked by every reader. */
  private static final int WIDE = STRIPES;

  /** Maximum number of rows of a write that is entered into the list of each row. */
  private static final int MAX_SPREAD_ROWS = 8;

  /** Maximum wait of a reader: far longer than a write takes on a healthy server. */
  private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Heads of the lists; null = empty. Changed by compare-and-set only; nodes are immutable. */
  private final AtomicReferenceArray<@Nullable Node> heads =
      new AtomicReferenceArray<>(STRIPES + 1);

  private record Node(Write write, @Nullable Node next) {}

  private final Runnable waits;

  public InFlightWrites() {
    this(() -> {});
  }

  /**
   * @param waits called for each wait of a reader
   */
  public InFlightWrites(Runnable waits) {
    this.waits = waits;
  }

  /** Registers a write that is about to draw its version. */
  public Write register(List<Bytes> rows) {
    Write write = new Write(stripesOf(rows), rows);
    for (int stripe : write.stripes) {
      while (true) {
        Node head = heads.get(stripe);
        if (heads.compareAndSet(stripe, head, new Node(write, head))) {
          break;
        }
      }
    }
    return write;
  }

  /**
   * Returns when every registered write of {@code row} below {@code snapshot} has ended. The clock
   * must have been raised to the snapshot before.
   *
   * @throws Refused NOT_READY after {@link #LONGEST_WAIT_NANOS}
   */
  public void awaitRow(Bytes row, long snapshot) {
    await(stripe(row), snapshot);
    await(WIDE, snapshot);
  }

  /**
   * Returns when every registered write of exactly this row has ended. The caller holds the row's
   * exclusive lock, has not registered, and decides by what is stored.
   *
   * @throws Refused NOT_READY if one of them is in doubt
   */
  public void awaitWriters(Bytes row) {
    awaitWriters(row, false);
  }

  /**
   * Returns at once. For blind writers, which share the row's lock with others.
   *
   * @throws Refused NOT_READY if a write of exactly this row is in doubt
   */
  public void requireNoDoubt(Bytes row) {
    awaitWriters(row, true);
  }

  private void awaitWriters(Bytes row, boolean onlyDoubtful) {
    for (int stripe : new int[] {stripe(row), WIDE}) {
      for (Node node = heads.get(stripe); node != null; node = node.next()) {
        if ((node.write().inDoubt || !onlyDoubtful) && node.write().rows.contains(row)) {
          node.write().await(Long.MAX_VALUE);
        }
      }
    }
  }

  /**
   * Records that the cells of a write are about to be logged.
   *
   * @return false if no registered write has drawn the version
   */
  public boolean logging(Bytes row, long version) {
    for (int stripe : new int[] {stripe(row), WIDE}) {
      for (Node node = heads.get(stripe); node != null; node = node.next()) {
        if (node.write().version == version) {
          node.write().logged = true;
          return true;
        }
      }
    }
    return false;
  }

  /** Returns when every registered write of the region below {@code snapshot} has ended. */
  public void awaitAll(long snapshot) {
    for (int stripe = 0; stripe <= WIDE; stripe++) {
      await(stripe, snapshot);
    }
  }

  /** Returns true if {@link #awaitRow} would return at once. */
  public boolean isRowClear(Bytes row, long snapshot) {
    return isClear(stripe(row), snapshot) && isClear(WIDE, snapshot);
  }

  private boolean isClear(int stripe, long snapshot) {
    for (Node node = heads.get(stripe); node != null; node = node.next()) {
      if (!node.write().isHarmlessTo(snapshot)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the lowest version in flight on {@code row}; the maximum if none is. For tests. */
  public long lowestOf(Bytes row) {
    long lowest = Long.MAX_VALUE;
    for (Node node = heads.get(stripe(row)); node != null; node = node.next()) {
      lowest = Math.min(lowest, node.write().version);
    }
    return lowest;
  }

  private void await(int stripe, long snapshot) {
    for (Node node = heads.get(stripe); node != null; node = node.next()) {
      node.write().await(snapshot);
    }
  }

  private static int[] stripesOf(List<Bytes> rows) {
    if (rows.size() > MAX_SPREAD_ROWS) {
      return new int[] {WIDE};
    }
    if (rows.size() == 1) {
      return new int[] {stripe(rows.get(0))};
    }
    return rows.stream().mapToInt(InFlightWrites::stripe).distinct().toArray();
  }

  private static int stripe(Bytes row) {
    int hash = row.hashCode();
    return (hash ^ hash >>> 16) & STRIPES - 1;
  }

  private static @Nullable Node without(@Nullable Node head, Write write) {
    Node before = null;
    Node node = head;
    while (node != null && node.write() != write) {
      before = new Node(node.write(), before);
      node = node.next();
    }
    if (node == null) {
      return head;
    }
    Node rest = node.next();
    for (; before != null; before = before.next()) {
      rest = new Node(before.write(), rest);
    }
    return rest;
  }

  /** One write in flight. */
  public final class Write {

    private static final long UNDRAWN = 0;

    private final int[] stripes;

    private final Collection<Bytes> rows;

    /** True if its cells may be in the log. Set once, by the writer. */
    private volatile boolean logged;

    /** True if a recovery may bring its cells back. Set once, by the writer. */
    private volatile boolean inDoubt;

    /** The version; {@link #UNDRAWN} before it is drawn. Set once, by the writer. */
    private volatile long version = UNDRAWN;

    /** True if the cells are visible or never will be. Set once, by the writer. */
    private volatile boolean ended;

    private Write(int[] stripes, List<Bytes> rows) {
      this.stripes = stripes;
      this.rows = rows.size() > MAX_SPREAD_ROWS ? new HashSet<>(rows) : rows;
    }

    /** Returns one of its rows. */
    public Bytes anyRow() {
      return rows.iterator().next();
    }

    /** Returns the version drawn; 0 before. */
    public long version() {
      return version;
    }

    /** Returns true if its cells may be in the log. */
    public boolean isLogged() {
      return logged;
    }

    /** Keeps the write as long as the region is open, whatever calls {@link #end}. */
    public void doubt() {
      inDoubt = true;
      wake();
    }

    /** Records the version drawn: readers below it stop waiting. */
    public void drawn(long newVersion) {
      version = newVersion;
      wake();
    }

    /** Removes the write, unless it is in doubt; idempotent. */
    public void end() {
      if (ended || inDoubt) {
        return;
      }
      ended = true;
      for (int stripe : stripes) {
        while (true) {
          Node head = heads.get(stripe);
          if (heads.compareAndSet(stripe, head, without(head, this))) {
            break;
          }
        }
      }
      wake();
    }

    private synchronized void wake() {
      notifyAll();
    }

    private void await(long snapshot) {
      if (isHarmlessTo(snapshot)) {
        return;
      }
      waits.run();
      synchronized (this) {
        long leftNanos = LONGEST_WAIT_NANOS;
        while (!isHarmlessTo(snapshot)) {
          if (inDoubt) {
            throw Refused.because(
                Refusal.Code.NOT_READY,
                "a write has failed after it was logged, and nothing above it can be read or"
                    + " decided until the region is opened again: free space if a disk is full, and"
                    + " move the region in the HBase shell, row="
                    + anyRow()
                    + " v="
                    + version);
          }
          if (leftNanos <= 0) {
            throw Refused.because(
                Refusal.Code.NOT_READY, "a write below the snapshot does not end, v=" + version);
          }
          // counts slices, so no clock is needed
          leftNanos -= SLICE_NANOS;
          try {
            TimeUnit.NANOSECONDS.timedWait(this, SLICE_NANOS);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Refused.because(Refusal.Code.NOT_READY, "the server is shutting down");
          }
        }
      }
    }

    private boolean isHarmlessTo(long snapshot) {
      long drawn = version;
      return ended || drawn != UNDRAWN && drawn >= snapshot;
    }
  }
}
