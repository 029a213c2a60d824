package io.lampone.coprocessor.core.fastpath;

import io.lampone.protocol.OperationId;
import io.lampone.protocol.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Operations of one region of which some attempts must not be applied any more, because something
 * that relies on it has come by under the same row lock (protocol page, section 8). An attempt may
 * be held up anywhere on its way; without this it would be applied a second time, or after its
 * sender was told that it never was.
 *
 * <p>It belongs to the region on this server, not to one opening of it: an attempt names the
 * region, and one that waits in the server's queue while the region moves away and back is executed
 * on the new opening. It need not survive the server: its queues and connections end with it.
 * Neither need it last for ever: {@link #LIFETIME} is longer than a connection keeps on trying to
 * bring bytes across. So there are two generations, and the older one is dropped as a whole.
 */
public final class FencedAttempts {

  /**
   * More are not remembered: what would have to be is refused until some have grown old. To forget
   * one instead would let an attempt through whose sender relies on its never being applied.
   */
  public static final int MAX_OPERATIONS = 20_000;

  /** An attempt that is held up for longer is not on its way any more. */
  static final Duration LIFETIME = Duration.ofHours(1);

  /** Kind of request that fences an attempt. */
  public enum By {
    /** A repeated attempt: the first one comes too late. */
    REPETITION,
    /** A look-up: every attempt comes too late. */
    LOOKUP
  }

  private final Clock clock;

  /** The present generation, and the one before; guarded by this. */
  private Map<OperationId, By> young = new HashMap<>();

  private Map<OperationId, By> old = new HashMap<>();

  /** When the present generation began; guarded by this. */
  private long bornNanos;

  /** Number of entries, to avoid taking the lock when there are none; set under the lock. */
  private volatile int size;

  public FencedAttempts(Clock clock) {
    this.clock = clock;
    this.bornNanos = clock.monotonicNanos();
  }

  /**
   * Takes note; called under the lock of a row of the operation.
   *
   * @return whether it will be remembered; if not, nothing may rely on it
   */
  public synchronized boolean add(OperationId id, By by) {
    By known = find(id);
    if (known == null && size >= MAX_OPERATIONS) {
      return false;
    }
    young.put(id, known == By.LOOKUP ? By.LOOKUP : by);
    size = young.size() + old.size();
    return true;
  }

  /** Returns true if an attempt comes too late. */
  boolean forbids(OperationId id, boolean repeated) {
    if (size == 0) {
      return false;
    }
    synchronized (this) {
      By by = find(id);
      return by == By.LOOKUP || by == By.REPETITION && !repeated;
    }
  }

  /** Forgets what is older than {@link #LIFETIME}; some of it lasts twice as long. */
  public synchronized void age() {
    long now = clock.monotonicNanos();
    if (now - bornNanos >= LIFETIME.toNanos()) {
      old = young;
      young = new HashMap<>();
      bornNanos = now;
      size = old.size();
    }
  }

  private @Nullable By find(OperationId id) {
    By by = young.get(id);
    return by == null ? old.get(id) : by;
  }
}
