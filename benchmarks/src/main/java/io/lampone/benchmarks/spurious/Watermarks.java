package io.lampone.benchmarks.spurious;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;

/**
 * Watermarks of processors: all transactions of a processor with a commit timestamp up to its
 * watermark have ended. Other processors learn of one a step later.
 */
final class Watermarks {

  private final int every;
  private final Queue<Long>[] open;
  private final Set<Long> ended = new HashSet<>();
  private final long[] own;
  private final long[] heard;
  private final int[] sinceUpdate;

  /**
   * @param every number of completions of a processor from one update to the next
   */
  @SuppressWarnings("unchecked")
  Watermarks(int processors, int every) {
    this.every = every;
    this.open = new Queue[processors];
    Arrays.setAll(open, i -> new ArrayDeque<Long>());
    this.own = new long[processors];
    this.heard = new long[processors];
    this.sinceUpdate = new int[processors];
  }

  /** A processor has drawn a commit timestamp, higher than all before. */
  void opened(ModelTransaction transaction) {
    open[transaction.processor].add(transaction.commit);
  }

  /** The transaction has been aborted, or its writes are installed. */
  void ended(ModelTransaction transaction) {
    int processor = transaction.processor;
    ended.add(transaction.commit);
    sinceUpdate[processor]++;
    if (sinceUpdate[processor] >= every) {
      sinceUpdate[processor] = 0;
      while (!open[processor].isEmpty() && ended.remove(open[processor].element())) {
        own[processor] = open[processor].remove();
      }
    }
  }

  /** A step has ended: the others hear of each watermark. */
  void tell() {
    System.arraycopy(own, 0, heard, 0, own.length);
  }

  /** Returns the watermark that a processor knows. */
  long knownBy(int processor) {
    long least = own[processor];
    for (int other = 0; other < heard.length; other++) {
      least = other == processor ? least : Math.min(least, heard[other]);
    }
    return least;
  }
}
