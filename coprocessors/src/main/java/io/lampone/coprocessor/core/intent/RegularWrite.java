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
 * A request about write intents or transaction cells on its way through a region. The order is the
 * argument: {@link #admit} before any lock; {@link #decide} under the exclusive locks of all rows;
 * {@link #confirm} when the cells are visible, before anything is acknowledged.
 */
public final class RegularWrite {

  private final RegionRequest request;
  private final TableRules table;
  private final Setting setting;

  /** Of a request of several parts those that name a row; else empty. */
  private final Map<Bytes, List<RegionRequest>> parts;

  /**
   * Knowledge about the rows, valid when their cells are in the store; filled under their locks.
   */
  private final Map<Bytes, RowKnowledge> learned = new LinkedHashMap<>();

  /** True if there is something to write; set under the locks. */
  private boolean isWriting;

  /**
   * Region's state that a write needs.
   *
   * @param clock where commit timestamps are heard of first [H1]
   * @param recent the versions that were drawn for the region lately
   * @param settled rows that writers of the fast path need not search
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

  /** Before any lock. */
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

  /** A flush is the owner's, a commit the transaction manager's; what else is shown is right. */
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

  /** Whatever is decided may leave a transaction cell, or may fail to. */
  private void forget(Bytes row, RowDecision decision) {
    RowKnowledge before = setting.known().of(row, table.floor());
    RowKnowledge found = decision.found() == null ? before : decision.found();
    setting.known().forget(row);
    if (found != null) {
      learned.put(row, found.withCommit(commitTimestamp(row)).after(row, decision.writes()));
    }
  }

  /** Handles the failure of a decided write, or one that its sender must assume. */
  public void failed() {
    if (isWriting) {
      setting.known().doubt();
    }
  }

  /** The cells are in the log and in the store, and the rows still locked. */
  public void applied() {
    learned.forEach(setting.known()::remember);
  }

  /**
   * Checks again what may have changed while the cells were on their way into view: a reader of a
   * newer floor that did not see the intents relies on their being refused [M1]. And what was found
   * and not changed is a read: nothing in the log vouches for it.
   */
  public void confirm() {
    if (request instanceof Flush flush) {
      setting.guards().requireStillAdmissible(flush.startTimestamp(), table.floor());
    }
    setting.guards().requireSession();
  }

  private RowDecision decide(int index, StoredRow row) throws IOException {
    // Whatever is decided may leave a transaction cell here.
    setting.settled().forget(row.key());
    RowKnowledge known = setting.known().of(row.key(), table.floor());
    StateRules states = new StateRules(setting.guards(), setting.clock(), known);
    if (request instanceof Flush flush) {
      return new IntentRules(table.table(), table.level(), table.floor(), setting.recent())
          .decide(flush, flush.intents().get(index), row, known);
    }
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

  /** The outcome of a decided leader, with its statement. */
  private RowDecision stated(Bytes family, StoredRow row, RowDecision decision) {
    RowFamily leader = new RowFamily(row.table(), row.key(), family);
    TransactionId id = new TransactionId(request.startTimestamp(), leader);
    return decision.telling(setting.guards().stated(id, decision.outcome()));
  }

  /** Without a proof what is of use to nothing any more, or may be held up no longer. */
  private boolean isAllowed(AbortLeader abort) {
    long start = abort.startTimestamp();
    return abort.proof() != Proof.NONE
        || table.changing()
        || start < table.floor()
        || start < setting.guards().abortableBelow();
  }

  /**
   * In a table that is being changed nothing is planted: a row that has been made plain would not
   * be looked at again. No flush puts a leader there either, now or when the table is opened, whose
   * floor is above everything that has begun by then.
   */
  private long plantableFrom() {
    return table.changing() ? Long.MAX_VALUE : setting.guards().safePoint();
  }

  /** The highest commit timestamp that the request brings to a row; 0 if it brings none. */
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

  /** The commit timestamp that it brings; 0 if it brings none. */
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
