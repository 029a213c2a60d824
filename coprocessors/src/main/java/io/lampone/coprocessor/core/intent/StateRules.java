package io.lampone.coprocessor.core.intent;

import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.fastpath.WriteBlockers;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.FinishLeader;
import io.lampone.protocol.request.RegionRequest.Heal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rules for state changes of a row's transaction cells, under the row's exclusive lock. Every
 * change is a compare-and-set from the state that {@link TransactionState} allows; any other state
 * stays and is reported. All cells of one transaction in one row change together (R11).
 *
 * <p>The local version clock is raised before a commit timestamp is written, in the same call [H1].
 */
public final class StateRules {

  private final RegionGuards guards;
  private final LocalVersionClock clock;
  private final @Nullable RowKnowledge known;

  /**
   * @param known knowledge about the row; null = none
   */
  public StateRules(RegionGuards guards, LocalVersionClock clock, @Nullable RowKnowledge known) {
    this.guards = guards;
    this.clock = clock;
    this.known = known;
  }

  /**
   * Commits a present leader: PENDING -> COMMITTED, the commit point (protocol page, section 4,
   * A3).
   *
   * @param ended whether the table has been disabled since the transaction began: then some of its
   *     intents may be lost, and it is aborted
   */
  public RowDecision commit(CommitLeader request, StoredRow row, boolean ended) throws IOException {
    long commit = request.commitTimestamp();
    requireCommitAfterStart(request.startTimestamp(), commit);
    OwnCells own = OwnCells.of(row, request.startTimestamp(), known);
    TransactionCell leader = own.in(request.family());
    if (leader == null) {
      return RowDecision.nothing();
    }
    requireLeader(leader, row, request.startTimestamp(), guards);
    if (leader.state() != TransactionState.PENDING) {
      return RowDecision.unchanged(leader.state(), leader.commitTimestamp());
    }
    if (ended) {
      return RowDecision.changed(
              TransactionState.ABORTED,
              0,
              change(own, request.startTimestamp(), TransactionState.ABORTED, 0, true))
          .ending(List.of(request.startTimestamp()));
    }
    clock.bump(commit);
    List<CellWrite> writes =
        change(own, request.startTimestamp(), TransactionState.COMMITTED, commit, false);
    TransactionCell committed = leader.withState(TransactionState.COMMITTED, commit);
    writes.add(
        CellWrite.of(
            request.family(), request.startTimestamp(), guards.proved(committed, request.pass())));
    return RowDecision.changed(TransactionState.COMMITTED, commit, writes)
        .ending(List.of(request.startTimestamp()));
  }

  /**
   * Aborts the leader: PENDING -> ABORTED. Plants an absent one as ABORTED if the request says so
   * and the row's cells name no other. Nothing changes unless the transaction may be aborted.
   *
   * @param allowed whether owner or transaction manager authorized it, or the transaction is old
   * @param plantableFrom smallest start timestamp for a plant, not below the safe point: below
   *     that, an absent leader may have been committed, finished and collected [M10]
   */
  RowDecision abort(AbortLeader request, StoredRow row, boolean allowed, long plantableFrom)
      throws IOException {
    long start = request.startTimestamp();
    OwnCells own = OwnCells.of(row, start, known);
    TransactionCell leader = own.in(request.family());
    if (leader == null) {
      return allowed && request.plantOnAbsence()
          ? plant(request, own, row, plantableFrom)
          : RowDecision.nothing();
    }
    requireLeader(leader, row, start, guards);
    if (leader.state() != TransactionState.PENDING || !allowed) {
      return RowDecision.unchanged(leader.state(), leader.commitTimestamp());
    }
    return RowDecision.changed(
            TransactionState.ABORTED, 0, change(own, start, TransactionState.ABORTED, 0, true))
        .ending(List.of(start));
  }

  /** Finishes the leader: COMMITTED -> FINAL, in that cell only. */
  RowDecision finish(FinishLeader request, StoredRow row) throws IOException {
    long start = request.startTimestamp();
    long commit = request.commitTimestamp();
    requireCommitAfterStart(start, commit);
    TransactionCell leader = OwnCells.of(row, start, known).in(request.family());
    if (leader == null) {
      return RowDecision.nothing();
    }
    requireLeader(leader, row, start, guards);
    if (leader.state() != TransactionState.COMMITTED || leader.commitTimestamp() != commit) {
      return RowDecision.unchanged(leader.state(), leader.commitTimestamp());
    }
    clock.bump(commit);
    TransactionCell done = leader.withState(TransactionState.FINAL, commit);
    return RowDecision.changed(
        TransactionState.FINAL, commit, List.of(CellWrite.of(request.family(), start, done)));
  }

  /**
   * Heals followers: PENDING -> the fate of the leader that they name. Leaves a leader unchanged
   * and creates no cell.
   */
  RowDecision heal(Heal request, StoredRow row) throws IOException {
    long start = request.startTimestamp();
    long commit = request.commitTimestamp();
    TransactionState fate = commit == 0 ? TransactionState.ABORTED : TransactionState.COMMITTED;
    if (commit != 0) {
      requireCommitAfterStart(start, commit);
    }
    OwnCells own = OwnCells.of(row, start, known);
    requireItsLeader(request.leader(), own, row, start);
    for (TransactionCell cell : own.byFamily().values()) {
      requireSameFate(cell, fate, commit, row, start);
    }
    clock.bump(commit);
    List<CellWrite> writes = change(own, start, fate, commit, false);
    if (!writes.isEmpty()) {
      boolean leads = own.byFamily().values().stream().anyMatch(StateRules::isPendingLeader);
      return RowDecision.changed(fate, commit, writes).ending(leads ? List.of() : List.of(start));
    }
    return own.byFamily().values().stream()
        .findFirst()
        .map(cell -> RowDecision.unchanged(cell.state(), cell.commitTimestamp()))
        .orElseGet(RowDecision::nothing);
  }

  /**
   * Decides all parts of a request that concern a row, each by the state before the request. That
   * is equivalent to executing them in sequence: parts of different transactions change different
   * versions, and for one transaction a heal leaves the leader unchanged and a finish changes only
   * the leader. If one part is refused, none is applied.
   *
   * @param parts those that name the row
   */
  RowDecision settle(List<RegionRequest> parts, StoredRow row) throws IOException {
    List<CellWrite> writes = new ArrayList<>();
    Set<Long> ended = new LinkedHashSet<>();
    for (RegionRequest part : parts) {
      RowDecision decision =
          part instanceof FinishLeader finish ? finish(finish, row) : heal((Heal) part, row);
      writes.addAll(decision.writes());
      ended.addAll(decision.ended());
    }
    return RowDecision.ofSeveral(writes).ending(List.copyOf(ended));
  }

  /**
   * Returns the reply to a leader read (protocol page, section 5). Only a leader states a fate; the
   * read may also address a follower.
   *
   * @throws Refused CORRUPT if a leader claims to have committed without a proof
   */
  public static Outcome leader(Bytes family, long start, StoredRow row, RegionGuards guards)
      throws IOException {
    TransactionCell cell = OwnCells.read(row, start).in(family);
    if (cell == null) {
      return Outcome.NOTHING;
    }
    Outcome outcome = new Outcome(Optional.of(cell.state()), cell.commitTimestamp(), false);
    if (!cell.isLeader()) {
      return outcome;
    }
    requireProved(cell, row, start, guards);
    RowFamily place = new RowFamily(row.table(), row.key(), family);
    return guards.stated(new TransactionId(start, place), outcome);
  }

  /**
   * State of a transaction in a row, for a reader that has met it there.
   *
   * @param outcome of the cells; a decided leader states a fate, a follower does not: its outcome
   *     holds for its own row
   * @param undecided name of the transaction, with the leader that the cells name; empty if they
   *     are decided or absent
   * @param family of one of the cells
   */
  public record Met(Outcome outcome, Optional<TransactionId> undecided, Bytes family) {}

  /**
   * Returns the state of a transaction in a row. Only the stored cells determine its leader [W17].
   */
  public static Met met(long start, StoredRow row, RegionGuards guards) throws IOException {
    for (Map.Entry<Bytes, TransactionCell> entry :
        OwnCells.read(row, start).byFamily().entrySet()) {
      TransactionCell cell = entry.getValue();
      TransactionId id = WriteBlockers.idOf(row.table(), row.key(), entry.getKey(), start, cell);
      Outcome outcome = new Outcome(Optional.of(cell.state()), cell.commitTimestamp(), false);
      // All cells of one transaction in one row change together.
      if (!outcome.isDecided()) {
        return new Met(outcome, Optional.of(id), entry.getKey());
      }
      return new Met(leader(entry.getKey(), start, row, guards), Optional.empty(), entry.getKey());
    }
    return new Met(Outcome.NOTHING, Optional.empty(), Bytes.EMPTY);
  }

  private static RowDecision plant(
      AbortLeader request, OwnCells own, StoredRow row, long plantableFrom) {
    if (request.startTimestamp() < plantableFrom) {
      throw Refused.because(
          Refusal.Code.BELOW_SAFE_POINT,
          request.row(),
          "an absent leader below the safe point, or in a table that is being changed, proves"
              + " nothing, start="
              + request.startTimestamp()
              + " leastStart="
              + plantableFrom);
    }
    RowFamily place = new RowFamily(row.table(), row.key(), request.family());
    requireItsLeader(place, own, row, request.startTimestamp());
    TransactionCell marker =
        TransactionCell.leader(List.of(), false, 0).withState(TransactionState.ABORTED, 0);
    List<CellWrite> writes =
        change(own, request.startTimestamp(), TransactionState.ABORTED, 0, false);
    List<Long> ended = writes.isEmpty() ? List.of() : List.of(request.startTimestamp());
    writes.add(CellWrite.of(request.family(), request.startTimestamp(), marker));
    return RowDecision.changed(TransactionState.ABORTED, 0, writes).ending(ended);
  }

  private static List<CellWrite> change(
      OwnCells own, long start, TransactionState to, long commit, boolean leaderToo) {
    List<CellWrite> writes = new ArrayList<>();
    for (Map.Entry<Bytes, TransactionCell> entry : own.byFamily().entrySet()) {
      TransactionCell cell = entry.getValue();
      if (cell.state() == TransactionState.PENDING && (leaderToo || !cell.isLeader())) {
        writes.add(CellWrite.of(entry.getKey(), start, cell.withState(to, commit)));
      }
    }
    return writes;
  }

  private static boolean isPendingLeader(TransactionCell cell) {
    return cell.isLeader() && cell.state() == TransactionState.PENDING;
  }

  private static void requireCommitAfterStart(long start, long commit) {
    if (!Timestamps.isGlobal(commit) || commit <= start) {
      throw Refused.because(
          Refusal.Code.IMPOSSIBLE_TIMESTAMP,
          "commit timestamp is not one of this transaction, start=" + start + " commit=" + commit);
    }
  }

  private static void requireLeader(
      TransactionCell cell, StoredRow row, long start, RegionGuards guards) {
    if (!cell.isLeader()) {
      throw Refused.because(
          Refusal.Code.MALFORMED, row.key(), "the row is not the leader, start=" + start);
    }
    requireProved(cell, row, start, guards);
  }

  /** Requires the proof of a stored commit: cells may come from an altered table or loaded file. */
  private static void requireProved(
      TransactionCell leader, StoredRow row, long start, RegionGuards guards) {
    if (!guards.isProved(start, leader)) {
      throw Refused.because(
          Refusal.Code.CORRUPT,
          row.key(),
          "the commit entry says that its transaction has committed, and no transaction manager has"
              + " stated that; its followers stay undecided: see lampone doctor, start="
              + start);
    }
  }

  /**
   * Requires that the cells name this leader. A fate holds for no others: any client may have put a
   * leader with this start timestamp elsewhere and committed it.
   */
  private static void requireItsLeader(RowFamily named, OwnCells own, StoredRow row, long start) {
    for (Map.Entry<Bytes, TransactionCell> entry : own.byFamily().entrySet()) {
      RowFamily leader =
          entry
              .getValue()
              .leader()
              .orElseGet(() -> new RowFamily(row.table(), row.key(), entry.getKey()));
      if (!leader.equals(named)) {
        throw Refused.because(
            Refusal.Code.NOT_ITS_LEADER,
            row.key(),
            "the row belongs to another commit entry than the one whose fate this is, start="
                + start);
      }
    }
  }

  private static void requireSameFate(
      TransactionCell cell, TransactionState fate, long commit, StoredRow row, long start) {
    // A transaction is decided once: a different decision means that one of the two is false.
    boolean decided = cell.state() != TransactionState.PENDING;
    boolean aborted = cell.state() == TransactionState.ABORTED;
    if (decided
        && (aborted != (fate == TransactionState.ABORTED) || cell.commitTimestamp() != commit)) {
      throw Refused.because(
          Refusal.Code.CORRUPT,
          row.key(),
          "transaction has two fates, start="
              + start
              + " stored="
              + cell.state()
              + " storedCommit="
              + cell.commitTimestamp()
              + " commit="
              + commit);
    }
  }
}
