package io.lampone.coprocessor.core;

import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Refusal;
import io.lampone.protocol.RegionRequest.FamilyIntents;
import io.lampone.protocol.RegionRequest.Flush;
import io.lampone.protocol.RegionRequest.RowIntents;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a flush does to one row, under the row's exclusive lock (protocol page, section 3.3). That
 * the start timestamp is admissible at all (floor, safe point) is decided before, once for the
 * whole request.
 */
public final class IntentRules {

  private final ConflictRules conflicts;

  /**
   * @param level the table's conflict level
   * @param tableFloor start timestamps below it may have been used at another level
   * @param recent the versions that were drawn for the region lately
   */
  public IntentRules(ConflictLevel level, long tableFloor, RecentVersions recent) {
    this.conflicts = new ConflictRules(level, tableFloor, recent);
  }

  /**
   * The cells to write into the row.
   *
   * @throws Refused CONFLICT with the winner's commit timestamp; ABORTED
   */
  public RowDecision decide(Flush flush, RowIntents intents, StoredRow row) throws IOException {
    ConflictRules.Met met = conflicts.meet(row, flush.startTimestamp());
    OwnCells own = met.own();
    for (TransactionCell cell : own.byFamily().values()) {
      if (cell.state() == TransactionState.ABORTED) {
        throw Refused.because(
            Refusal.Code.ABORTED,
            row.key(),
            "transaction has been aborted, start=" + flush.startTimestamp());
      }
      if (cell.state().isCommitted()) {
        // A duplicate that was on its way when the transaction committed (A5): it has been applied.
        return RowDecision.unchanged(cell.state(), cell.commitTimestamp());
      }
    }
    List<FamilyIntents> fresh = new ArrayList<>();
    for (FamilyIntents family : intents.families()) {
      TransactionCell stored = own.in(family.family());
      if (stored == null || stored.flushNumber() < flush.flushNumber()) {
        fresh.add(family);
      }
    }
    if (fresh.isEmpty()) {
      // R1: applied already, and maybe overwritten since by the same transaction.
      return RowDecision.unchanged(TransactionState.PENDING, 0);
    }
    long winner = conflicts.winner(row, flush.startTimestamp(), fresh, met);
    if (winner != 0) {
      throw new Refused(
          Refusal.conflict(
              row.key(),
              winner,
              "somebody else has committed first, start=" + flush.startTimestamp()));
    }
    List<CellWrite> writes = new ArrayList<>();
    for (FamilyIntents family : fresh) {
      writes.addAll(new FamilyMerge(flush, family, own.in(family.family())).writes(row));
    }
    return RowDecision.changed(TransactionState.PENDING, 0, writes);
  }
}
