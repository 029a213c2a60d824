package io.lampone.simulation.hbase;

import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.fastpath.FastReading;
import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.protocol.request.FastReadRequest;

/** Reads of the fast path, and of intervals, in a region; a mutant changes a step. */
public class FastReadSteps {

  /** Returns the request that the region takes. */
  public FastReadRequest request(FastReadRequest sent) {
    return sent;
  }

  /** Returns what is stored of the row that is read. */
  public StoredRow stored(FastReadRequest request, StoredRow row) {
    return row;
  }

  /** Returns a row as a read of an interval sees it. */
  public FastReading.Row<RowView> rowOfInterval(FastReading.Row<RowView> row) {
    return row;
  }

  /** Returns the guards of a read of an interval. */
  public RegionGuards guardsOfInterval(RegionGuards guards) {
    return guards;
  }

  /** Returns the end of an interval that has been read. */
  public long endOfInterval(long end, LocalVersionClock clock) {
    return end;
  }
}
