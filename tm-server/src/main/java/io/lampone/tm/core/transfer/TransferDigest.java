package io.lampone.tm.core.transfer;

import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.Hold;
import io.lampone.protocol.wire.Transfer;

/**
 * An order-dependent 64-bit digest of a hand-over's content. Frames have checksums as well; this
 * one detects a missing, repeated or misplaced frame, and two ends that disagree on the content of
 * a transfer. It is not a signature.
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

  /** Returns the part with the owners of the buckets, which is included. */
  Transfer.Buckets buckets(BucketMap map) {
    Transfer.Buckets part = new Transfer.Buckets(map.encode());
    mix(4);
    mix(part.map().hashCode());
    return part;
  }

  public long value() {
    return value;
  }

  private void mix(long item) {
    value = Long.rotateLeft((value ^ item) * MULTIPLIER, ROTATION) + item;
  }
}
