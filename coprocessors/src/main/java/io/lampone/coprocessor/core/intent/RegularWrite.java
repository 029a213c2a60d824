package io.lampone.coprocessor.core.intent;

import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.clock.RecentVersions;
import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.FinishLeader;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.protocol.request.RegionRequest.Settle;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proof.Healed;
import io.lampone.protocol.trust.Proof.Voided;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A request about write intents or transaction cells in progress in a region. Correctness rests on
 * the order: {@link #admit} before any lock; {@link #decide} under the exclusive locks of all rows;
 * {@link #confirm} when the cells are visible, before anything is acknowledged.
 */
public final class RegularWrite {

  private final RegionRequest request;
  private final TableRules table;
  private final Setting setting;

  /** Parts by row of a request that has several; else empty. */
  private final Map<Bytes, List<RegionRequest>> parts;

  /**
   * Knowledge about the rows, valid once their cells are in the store; filled under their locks.
   */
  private final Map<Bytes, RowKnowledge> learned = new LinkedHashMap<>();

  /** Start timestamps of the transactions that are decided, by row; filled under the locks. */
  private final Map<Bytes, List<Long>> ended = new LinkedHashMap<>();

  /** True if the decisions contain writes; set under the locks. */
  private boolean isWriting;

  /**
   * State of the region that a write needs.
   *
   * @param clock raised before a commit timestamp is written [H1]
   * @param recent the versions recently drawn for the region
   * @param settled rows that fast-path writers need not search
   * @param known rows that need not be searched here
   */
  public record Setting(
      RegionGuards guards,
      LocalVersionClock clock,
      RecentVersions recent,
      SettledRows.OfRegion settled,
      KnownRows.OfRegion known) {}

  public RegularWrite(RegionRequest request, TableRules table, Setting setting) {
    this.request = request;
    this.table = table;
    this.setting = setting;
    this.parts = request instanceof Settle settle ? settle.partsByRow() : Map.of();
  }

  /** Admits the request, before any lock. */
  public void admit() {
    setting.guards().requireKnown(request.floor());
    if (request instanceof Settle settle) {
      settle.parts().forEach(this::requirePossible);
    } else {
      requirePossible(request);
    }
  }

  private void requirePossible(RegionRequest one) {
    RegionGuards guards = setting.guards();
    guards.requirePossible(one.startTimestamp());
    long commit = commitTimestamp(one);
    if (commit != 0 || one instanceof CommitLeader || one instanceof FinishLeader) {
      guards.requirePossible(commit);
    }
    requireProved(one);
    guards.requireIssued(commit, IssueProof.NONE);
  }

  /** Requires a grant for a flush and a pass for a commit; any other proof shown must be right. */
  private void requireProved(RegionRequest one) {
    RegionGuards guards = setting.guards();
    long start = one.startTimestamp();
    if (one instanceof Flush flush) {
      guards.requireOwner(start, flush.grant());
    } else if (one instanceof CommitLeader commit) {
      guards.requirePassed(start, commit.commitTimestamp(), commit.pass());
    } else if (one instanceof AbortLeader abort) {
      requireMayAbort(guards, start, abort.proof());
    } else if (one instanceof FinishLeader finish) {
      requireMayFinish(guards, finish);
    } else if (one instanceof Heal heal) {
      guards.requireFate(new TransactionId(start, heal.leader()), heal.fate());
    }
  }

  private static void requireMayAbort(RegionGuards guards, long start, Proof proof) {
    if (proof instanceof Voided voided) {
      guards.requireVoided(start, voided.tag());
    } else if (proof != Proof.NONE) {
      guards.requireOwner(start, proof);
    }
  }

  private static void requireMayFinish(RegionGuards guards, FinishLeader finish) {
    if (finish.proof() instanceof Healed healed) {
      guards.requireHealed(finish.startTimestamp(), finish.commitTimestamp(), healed.tag());
    } else {
      guards.requireOwner(finish.startTimestamp(), finish.proof());
    }
  }

  /**
   * Decides about all rows, under their locks.
   *
   * @param rows the request's rows, in its order
   */
  public List<RowDecision> decide(List<? extends StoredRow> rows) throws IOException {
    if (request instanceof Flush flush) {
      table.requireOfGeneration(flush.startTimestamp());
      table.requireSchema(flush.knownSchema());
      setting.guards().requireAboveSafePoint(flush.startTimestamp());
      setting.guards().requireAdmissible(flush.startTimestamp(), table.floor());
    }
    List<RowDecision> decisions = new ArrayList<>(rows.size());
    for (int i = 0; i < rows.size(); i++) {
      decisions.add(decide(i, rows.get(i)));
    }
    isWriting = decisions.stream().anyMatch(decision -> !decision.writes().isEmpty());
    for (int i = 0; i < rows.size(); i++) {
      forget(rows.get(i).key(), decisions.get(i));
    }
    return decisions;
  }

  /** Removes the row's entry: any decision may leave a transaction cell, or may fail to. */
  private void forget(Bytes row, RowDecision decision) {
    RowKnowledge before = setting.known().entry(row, table.floor());
    RowKnowledge found = decision.found() == null ? before : decision.found();
    long highest = commitTimestamp(row);
    for (CellWrite write : decision.writes()) {
      highest = Math.max(highest, write.version());
    }
    setting.known().forget(row, highest);
    if (!decision.ended().isEmpty()) {
      ended.put(row, decision.ended());
    }
    if (isFirst(decision)) {
      setting.known().flushed(row, request.startTimestamp());
    }
    if (found != null) {
      learned.put(row, found.withCommit(commitTimestamp(row)).after(row, decision.writes()));
    }
  }

  /** Returns true if the request writes the first intents of its transaction to the row. */
  private boolean isFirst(RowDecision decision) {
    RowKnowledge found = decision.found();
    return request instanceof Flush
        && found != null
        && found.own().byFamily().isEmpty()
        && !decision.writes().isEmpty();
  }

  /** Records that what was decided will not be written. */
  public void withdrawn() {
    isWriting = false;
  }

  /** Handles the failure of a decided write, or a failure that its sender must assume. */
  public void failed() {
    if (isWriting) {
      setting.known().doubt();
    }
  }

  /** Remembers the rows: the cells are in the log and in the store, and the rows still locked. */
  public void applied() {
    learned.forEach(setting.known()::remember);
    ended.forEach((row, starts) -> starts.forEach(start -> setting.known().ended(row, start)));
  }

  /**
   * Repeats the checks whose result may have changed before the cells became visible: a reader with
   * a newer floor that did not see the intents relies on their refusal [M1]. A decision that
   * changed nothing is a read, which no log entry confirms.
   */
  public void confirm() {
    if (request instanceof Flush flush) {
      setting.guards().requireStillAdmissible(flush.startTimestamp(), table.floor());
    }
    setting.guards().requireSession();
  }

  private RowDecision decide(int index, StoredRow row) throws IOException {
    // Any decision may leave a transaction cell here.
    setting.settled().forget(row.key());
    if (request instanceof Flush flush) {
      RowKnowledge known = setting.known().of(row.key(), table.floor());
      return new IntentRules(table.table(), table.level(), table.floor(), setting.recent())
          .decide(flush, flush.intents().get(index), row, known);
    }
    RowKnowledge known = setting.known().entry(row.key(), table.floor());
    StateRules states = new StateRules(setting.guards(), setting.clock(), known);
    if (request instanceof CommitLeader commit) {
      boolean late = commit.startTimestamp() < table.generationFloor();
      return stated(commit.family(), row, states.commit(commit, row, late));
    }
    if (request instanceof AbortLeader abort) {
      return stated(
          abort.family(), row, states.abort(abort, row, isAllowed(abort), plantableFrom()));
    }
    if (request instanceof Settle) {
      return states.settle(parts.getOrDefault(row.key(), List.of()), row);
    }
    return request instanceof FinishLeader finish
        ? states.finish(finish, row)
        : states.heal((Heal) request, row);
  }

  /** Adds the statement to the outcome of a decided leader. */
  private RowDecision stated(Bytes family, StoredRow row, RowDecision decision) {
    RowFamily leader = new RowFamily(row.table(), row.key(), family);
    TransactionId id = new TransactionId(request.startTimestamp(), leader);
    return decision.telling(setting.guards().stated(id, decision.outcome()));
  }

  /** Returns true if the abort has a proof, or the transaction cannot commit or is overdue. */
  private boolean isAllowed(AbortLeader abort) {
    long start = abort.startTimestamp();
    return abort.proof() != Proof.NONE
        || table.changing()
        || start < table.floor()
        || start < setting.guards().abortableBelow();
  }

  /**
   * Returns the smallest start timestamp for which an absent leader may be planted. In a table
   * being changed there is none: a row made plain would not be visited again. No flush can put a
   * leader there, now or later: the floor of the opened table is above all earlier transactions.
   */
  private long plantableFrom() {
    return table.changing() ? Long.MAX_VALUE : setting.guards().safePoint();
  }

  /** Returns the highest commit timestamp that the request brings to a row; 0 if it brings none. */
  private long commitTimestamp(Bytes row) {
    if (!(request instanceof Settle)) {
      return commitTimestamp(request);
    }
    long highest = 0;
    for (RegionRequest part : parts.getOrDefault(row, List.of())) {
      highest = Math.max(highest, commitTimestamp(part));
    }
    return highest;
  }

  /** Returns the commit timestamp that the request brings; 0 if it brings none. */
  private static long commitTimestamp(RegionRequest one) {
    if (one instanceof CommitLeader leader) {
      return leader.commitTimestamp();
    }
    if (one instanceof FinishLeader leader) {
      return leader.commitTimestamp();
    }
    return one instanceof Heal heal ? heal.commitTimestamp() : 0;
  }
}
