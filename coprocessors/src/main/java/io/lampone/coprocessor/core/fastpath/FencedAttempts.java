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

  /** An entry, and the user whose request was the first to need it. */
  private record Fence(By by, String user) {}

  private final Clock clock;
  private final int limit;

  /** The present generation, and the one before; guarded by this. */
  private Map<OperationId, Fence> young = new HashMap<>();

  private Map<OperationId, Fence> old = new HashMap<>();

  /** Entries of both generations by user. Guarded by this. */
  private final Map<String, Integer> ofUser = new HashMap<>();

  /** When the present generation began; guarded by this. */
  private long bornNanos;

  /** Number of entries, to avoid taking the lock when there are none; set under the lock. */
  private volatile int size;

  public FencedAttempts(Clock clock) {
    this(clock, MAX_OPERATIONS);
  }

  /**
   * @param limit see {@link #MAX_OPERATIONS}
   */
  public FencedAttempts(Clock clock, int limit) {
    this.clock = clock;
    this.limit = limit;
    this.bornNanos = clock.monotonicNanos();
  }

  /**
   * Takes note; called under the lock of a row of the operation.
   *
   * @param user of the request; "" if unknown
   * @return whether it will be remembered; if not, nothing may rely on it
   */
  public synchronized boolean add(String user, OperationId id, By by) {
    Fence known = find(id);
    String counted = known == null ? user : known.user();
    if (known == null && isFull(counted)) {
      return false;
    }
    By strongest = known != null && known.by() == By.LOOKUP ? By.LOOKUP : by;
    if (young.put(id, new Fence(strongest, counted)) == null) {
      ofUser.merge(counted, 1, Integer::sum);
    }
    size = young.size() + old.size();
    return true;
  }

  /** A user has at most as many entries as are left: half if it is alone, and others have room. */
  private boolean isFull(String user) {
    return ofUser.getOrDefault(user, 0) >= limit - size;
  }

  /** Returns true if an attempt comes too late. */
  boolean forbids(OperationId id, boolean repeated) {
    if (size == 0) {
      return false;
    }
    synchronized (this) {
      Fence fence = find(id);
      return fence != null && (fence.by() == By.LOOKUP || !repeated);
    }
  }

  /** Forgets what is older than {@link #LIFETIME}; some of it lasts twice as long. */
  public synchronized void age() {
    long now = clock.monotonicNanos();
    if (now - bornNanos >= LIFETIME.toNanos()) {
      old.values()
          .forEach(
              fence ->
                  ofUser.computeIfPresent(
                      fence.user(), (user, count) -> count == 1 ? null : count - 1));
      old = young;
      young = new HashMap<>();
      bornNanos = now;
      size = old.size();
    }
  }

  private @Nullable Fence find(OperationId id) {
    Fence fence = young.get(id);
    return fence == null ? old.get(id) : fence;
  }
}
