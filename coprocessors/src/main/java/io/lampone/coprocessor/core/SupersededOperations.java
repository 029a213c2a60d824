package io.lampone.coprocessor.core;

import io.lampone.protocol.OperationId;
import java.util.HashMap;
import java.util.Map;

/**
 * Operations of one region of which some attempts must not be applied any more, because something
 * that relies on it has come by under the same row lock (protocol page, section 8). An attempt may
 * be held up anywhere on its way; without this it would be applied a second time, or after its
 * sender was told that it never was. It need not survive the region: an attempt belongs to one
 * opening of the region and fails when that is closed.
 */
public final class SupersededOperations {

  /** More are not remembered. */
  static final int MAX_OPERATIONS = 20_000;

  /** What has come by. */
  enum By {
    /** A repeated attempt: the first one comes too late. */
    REPETITION,
    /** A look-up: every attempt comes too late. */
    LOOKUP
  }

  /** Under its own lock. */
  private final Map<OperationId, By> operations = new HashMap<>();

  /** How many there are, so that nobody takes the lock for nothing; set under the lock. */
  private volatile int size;

  /**
   * Takes note; called under the lock of a row of the operation.
   *
   * @return whether it will be remembered
   */
  boolean add(OperationId id, By by) {
    synchronized (operations) {
      if (operations.size() >= MAX_OPERATIONS && !operations.containsKey(id)) {
        return false;
      }
      operations.merge(id, by, (old, now) -> old == By.LOOKUP ? old : now);
      size = operations.size();
      return true;
    }
  }

  /** Whether an attempt comes too late. */
  boolean forbids(OperationId id, boolean repeated) {
    if (size == 0) {
      return false;
    }
    synchronized (operations) {
      By by = operations.get(id);
      return by == By.LOOKUP || by == By.REPETITION && !repeated;
    }
  }

  /**
   * Whether some may be missing: then every first attempt must look for its id as a repeated one
   * does. It stays so until the region is opened anew.
   */
  boolean isFull() {
    return size >= MAX_OPERATIONS;
  }
}
