package io.lampone.coprocessor.core.fastpath;

import io.lampone.protocol.OperationId;
import io.lampone.protocol.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Operations of one region some of whose attempts must not be applied any more, because a later
 * request under the same row lock relies on that (protocol page, section 8). An attempt may be
 * delayed anywhere on its way. Without the fence it could be applied a second time, or after its
 * sender was told that it never was.
 *
 * <p>The fences belong to the region on this server, not to one opening: an attempt names the
 * region, so one that waits in the server's queue while the region moves away and back is executed
 * on the new opening. They need not survive the server, whose queues and connections end with it,
 * nor last forever: {@link #LIFETIME} exceeds the time for which a connection retries delivery. So
 * there are two generations, and the older one is dropped as a whole.
 */
public final class FencedAttempts {

  /**
   * Capacity; a request that needs another entry is refused until old ones have expired. Evicting
   * an entry instead would admit an attempt whose sender relies on its never being applied.
   */
  public static final int MAX_OPERATIONS = 20_000;

  /** Maximum delay of an attempt. */
  static final Duration LIFETIME = Duration.ofHours(1);

  /** Kind of request that fences an attempt. */
  public enum By {
    /** A repeated attempt fences the first one. */
    REPETITION,
    /** A look-up fences every attempt. */
    LOOKUP
  }

  /** Entry, with the user whose request first needed it. */
  private record Fence(By by, String user) {}

  private final Clock clock;
  private final int limit;

  /** The current generation and the previous one; guarded by this. */
  private Map<OperationId, Fence> young = new HashMap<>();

  private Map<OperationId, Fence> old = new HashMap<>();

  /** Entries of both generations by user; guarded by this. */
  private final Map<String, Integer> ofUser = new HashMap<>();

  /** Start of the current generation; guarded by this. */
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
   * Adds a fence; called under the lock of a row of the operation.
   *
   * @param user of the request; "" if unknown
   * @return whether the fence was added; if not, nothing may rely on it
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

  /** Returns true if a user has as many entries as are free: half of all if it is the only one. */
  private boolean isFull(String user) {
    return ofUser.getOrDefault(user, 0) >= limit - size;
  }

  /** Returns true if an attempt is fenced. */
  boolean forbids(OperationId id, boolean repeated) {
    if (size == 0) {
      return false;
    }
    synchronized (this) {
      Fence fence = find(id);
      return fence != null && (fence.by() == By.LOOKUP || !repeated);
    }
  }

  /** Returns the number of entries. */
  public int size() {
    return size;
  }

  /** Drops entries older than {@link #LIFETIME}; some last twice as long. */
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
