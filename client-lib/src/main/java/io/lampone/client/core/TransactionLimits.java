package io.lampone.client.core;

import io.lampone.client.core.failure.IllegalUseException;
import io.lampone.protocol.request.RequestLimits;

/**
 * Limits of one transaction.
 *
 * @param bufferBytes buffered writes beyond this are sent as intents before commit
 * @param writtenCells cells that one transaction may write
 * @param recordedFollowers followers beyond this are not listed in the leader's cell: finding them
 *     then requires a pass over the tables
 * @param readRows rows that a serializable transaction may read
 * @param readRanges ranges that it may read
 */
public record TransactionLimits(
    long bufferBytes, int writtenCells, int recordedFollowers, int readRows, int readRanges) {

  /** 2 MiB of buffer, five million cells, 4096 followers, 20,000 rows and 1,000 ranges read. */
  public static final TransactionLimits DEFAULT =
      new TransactionLimits(2L << 20, 5_000_000, RequestLimits.MAX_FOLLOWERS, 20_000, 1_000);

  /** Creates limits with the defaults for reads. */
  public TransactionLimits(long bufferBytes, int writtenCells, int recordedFollowers) {
    this(bufferBytes, writtenCells, recordedFollowers, DEFAULT.readRows(), DEFAULT.readRanges());
  }

  public TransactionLimits {
    boolean readsNothing = readRows < 1 || readRanges < 1;
    if (bufferBytes < 0 || writtenCells < 1 || recordedFollowers < 0 || readsNothing) {
      throw new IllegalArgumentException(
          "limits out of range, bufferBytes="
              + bufferBytes
              + " writtenCells="
              + writtenCells
              + " recordedFollowers="
              + recordedFollowers
              + " readRows="
              + readRows
              + " readRanges="
              + readRanges);
    }
  }

  /** Returns the sum of the cells that a transaction writes; fails if there are too many. */
  int sumWritten(int before, int more) {
    if (more > writtenCells - before) {
      throw IllegalUseException.ofLimit(
          "the transaction writes too many cells: split it, or raise the limit"
              + " lampone.client.transaction.cells, limit="
              + writtenCells);
    }
    return before + more;
  }
}
