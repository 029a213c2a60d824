package io.lampone.client.core;

import io.lampone.protocol.request.RequestLimits;

/**
 * Limits of one transaction.
 *
 * @param bufferBytes buffered writes beyond this are sent as intents before commit
 * @param writtenCells cells that one transaction may write
 * @param recordedFollowers followers beyond this are not listed in the leader's cell: finding them
 *     takes a pass over the tables then
 */
public record TransactionLimits(long bufferBytes, int writtenCells, int recordedFollowers) {

  /** 2 MiB of buffer, five million cells, 4096 followers. */
  public static final TransactionLimits DEFAULT =
      new TransactionLimits(2L << 20, 5_000_000, RequestLimits.MAX_FOLLOWERS);

  public TransactionLimits {
    if (bufferBytes < 0 || writtenCells < 1 || recordedFollowers < 0) {
      throw new IllegalArgumentException(
          "limits out of range, bufferBytes="
              + bufferBytes
              + " writtenCells="
              + writtenCells
              + " recordedFollowers="
              + recordedFollowers);
    }
  }
}
