package io.lampone.tm.core.transfer;

import io.lampone.protocol.tm.Hold;

/**
 * Digest of what was sent in a hand-over, in 64 bits and in order. Frames have checksums as well;
 * this one detects a frame that is missing, repeated or out of place, and two ends that disagree on
 * what belongs to a transfer. It is no signature.
 */
public final class TransferDigest {

  private static final long MULTIPLIER = 0x9e3779b97f4a7c15L;
  private static final int ROTATION = 29;

  private long value;

  public void conflict(long hash, long commitTimestamp) {
    mix(1);
    mix(hash);
    mix(commitTimestamp);
  }

  void decision(long startTimestamp, long timestamp, int checkIndex) {
    mix(2);
    mix(startTimestamp);
    mix(timestamp);
    mix(checkIndex);
  }

  void hold(Hold hold) {
    mix(3);
    mix(hold.owner().hashCode());
    mix(hold.name().hashCode());
    mix(hold.timestamp());
    mix(hold.remainingMillis());
  }

  public long value() {
    return value;
  }

  private void mix(long item) {
    value = Long.rotateLeft((value ^ item) * MULTIPLIER, ROTATION) + item;
  }
}
