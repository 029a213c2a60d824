package io.lampone.coprocessor.core.intent;

import io.lampone.coprocessor.core.clock.RecentVersions;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.request.RequestLimits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Rules for a flush to one row, under the row's exclusive lock (protocol page, section 4). The
 * start timestamp has been admitted before (floor, safe point), once for the whole request.
 */
public final class IntentRules {

  private final String table;
  private final ConflictLevel level;
  private final long tableFloor;
  private final ConflictRules conflicts;

  /**
   * @param table the table's name
   * @param level the table's conflict level
   * @param tableFloor start timestamps below it may have been used at another level
   * @param recent the versions recently drawn for the region
   */
  public IntentRules(String table, ConflictLevel level, long tableFloor, RecentVersions recent) {
    this.table = table;
    this.level = level;
    this.tableFloor = tableFloor;
    this.conflicts = new ConflictRules(level, tableFloor, recent);
  }

  /** Decides like the other overload, without knowledge about the row. */
  public RowDecision decide(Flush flush, RowIntents intents, StoredRow row) throws IOException {
    return decide(flush, intents, row, null);
  }

  /**
   * Returns the cells to write into the row.
   *
   * @param known knowledge about the row; null = none
   * @throws Refused CONFLICT with the winner's commit timestamp; ABORTED
   */
  public RowDecision decide(
      Flush flush, RowIntents intents, StoredRow row, @Nullable RowKnowledge known)
      throws IOException {
    long start = flush.startTimestamp();
    RowKnowledge free = known == null ? null : known.forWriter(start);
    ConflictRules.Met met =
        free == null
            ? conflicts.meet(row, start, known)
            : new ConflictRules.Met(free.own(), 0, free.highestOther(), free.undecided());
    OwnCells own = met.own();
    requireOneLeader(flush, own, row);
    for (TransactionCell cell : own.byFamily().values()) {
      if (cell.state() == TransactionState.ABORTED) {
        throw Refused.because(
            Refusal.Code.ABORTED, row.key(), "transaction has been aborted, start=" + start);
      }
      if (cell.state().isCommitted()) {
        // A duplicate delayed until the transaction had committed (A5): it has been applied.
        return RowDecision.unchanged(cell.state(), cell.commitTimestamp());
      }
    }
    requireFewUndecided(row, own, intents, met.undecided());
    List<FamilyIntents> fresh = new ArrayList<>();
    for (FamilyIntents family : intents.families()) {
      TransactionCell stored = own.in(family.family());
      if (stored == null || stored.flushNumber() < flush.flushNumber()) {
        fresh.add(family);
      }
    }
    if (free == null) {
      // Also for duplicates: while a failed write was only in the log, no reader saw its intents.
      free = requireNoWinner(row, start, intents.families(), met);
    }
    if (fresh.isEmpty()) {
      // R1: already applied, and perhaps overwritten since by the same transaction.
      return RowDecision.unchanged(TransactionState.PENDING, 0);
    }
    List<CellWrite> writes = new ArrayList<>();
    for (FamilyIntents family : fresh) {
      writes.addAll(new FamilyMerge(table, flush, family, own.in(family.family())).writes(row));
    }
    writes.addAll(others(own, fresh, start));
    return RowDecision.changed(TransactionState.PENDING, 0, writes).having(free);
  }

  /**
   * Returns the transaction's cells of the other families again. An abort in doubt (ADR 94) may lie
   * in the log: if a recovery found only a part of it below the flush, the row would have two
   * fates.
   */
  private static List<CellWrite> others(OwnCells own, List<FamilyIntents> flushed, long start) {
    Map<Bytes, TransactionCell> others = new TreeMap<>(own.byFamily());
    flushed.forEach(family -> others.remove(family.family()));
    return others.entrySet().stream()
        .map(entry -> CellWrite.of(entry.getKey(), start, entry.getValue()))
        .toList();
  }

  /**
   * Fails if the transaction's cells in the row name another leader: all of them must get one fate.
   */
  private void requireOneLeader(Flush flush, OwnCells own, StoredRow row) {
    for (Map.Entry<Bytes, TransactionCell> entry : own.byFamily().entrySet()) {
      RowFamily here = new RowFamily(table, row.key(), entry.getKey());
      if (!entry.getValue().leader().orElse(here).equals(flush.leader())) {
        throw Refused.because(
            Refusal.Code.MALFORMED,
            row.key(),
            "transaction has changed its leader, start=" + flush.startTimestamp());
      }
    }
  }

  /** Limits undecided transactions: every read of the row has to resolve each of them. */
  private static void requireFewUndecided(
      StoredRow row, OwnCells own, RowIntents intents, int undecided) {
    if (undecided < RequestLimits.MAX_UNDECIDED) {
      return;
    }
    for (FamilyIntents family : intents.families()) {
      if (own.in(family.family()) == null) {
        throw Refused.because(
            Refusal.Code.BUSY,
            row.key(),
            "too many transactions that have not ended have written the row, undecided="
                + undecided);
      }
    }
  }

  private RowKnowledge requireNoWinner(
      StoredRow row, long start, List<FamilyIntents> intents, ConflictRules.Met met)
      throws IOException {
    long winner = conflicts.winner(row, start, intents, met);
    if (winner != 0) {
      throw new Refused(
          Refusal.conflict(
              row.key(), winner, "another transaction has committed first, start=" + start));
    }
    long highestCommit = level == ConflictLevel.ROW ? start : RowKnowledge.NO_BOUND;
    return new RowKnowledge(
        tableFloor, highestCommit, met.highestOther(), met.undecided(), start, met.own());
  }
}
