package io.lampone.tm.core.validation;

import io.lampone.protocol.tm.BucketMap;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The last validators that have lost their buckets because they did not answer. */
public final class LostValidators {

  /** Losses that are kept; earlier ones are only counted. */
  static final int KEPT = 16;

  private final Deque<Loss> last = new ArrayDeque<>();
  private long total;

  /**
   * Loss of a validator.
   *
   * @param validator the process
   * @param problem the reason
   * @param atMillis time on the wall clock
   */
  public record Loss(BucketMap.Node validator, String problem, long atMillis) {}

  /** Adds a loss. */
  public void add(Loss loss) {
    total++;
    last.addLast(loss);
    if (last.size() > KEPT) {
      last.removeFirst();
    }
  }

  /** Returns the last losses, the newest last. */
  public List<Loss> last() {
    return List.copyOf(last);
  }

  /** Returns the number of losses so far. */
  public long total() {
    return total;
  }
}
