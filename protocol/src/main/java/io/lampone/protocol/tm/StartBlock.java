package io.lampone.protocol.tm;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.trust.Grant;

/**
 * Start timestamps handed out ahead of need. No commit timestamp lies between the first and the
 * last one.
 *
 * @param watermark every commit timestamp up to it whose end is reported has ended; a hint
 * @param floor the smallest admissible start timestamp
 * @param first the first start timestamp
 * @param count number of consecutive start timestamps; 0 = none
 * @param grant proves that they belong to the caller
 */
public record StartBlock(long watermark, long floor, long first, int count, Grant grant) {

  /** Returns the last start timestamp; one tick below the first if there is none. */
  public long last() {
    return first + (count - 1) * Timestamps.TICK;
  }

  /** Returns the begin with the start timestamp at {@code index}. */
  public Begin begin(int index) {
    return new Begin(first + index * Timestamps.TICK, floor, grant);
  }
}
