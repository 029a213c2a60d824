package io.lampone.coprocessor.core.fastpath;

import io.lampone.coprocessor.core.clock.ExhaustedException;
import io.lampone.coprocessor.core.clock.InFlightWrites.Write;
import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.fastpath.FastPlan.Written;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.core.intent.TableRules;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.request.FastCondition;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.OperationLookup;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at a request whose writes are committed at birth (protocol page, section 8). {@link
 * #decide} runs under the exclusive locks of all rows; {@link #end} runs in every case, after HBase
 * has made the cells visible or has rolled them back.
 *
 * <p>All rows of a request share one version, even where each row is a separate operation.
 */
public final class FastAttempt {

  private static final Written NOTHING = new Written(CommitReads.NOT_APPLIED, List.of());

  private final RegionRequest request;
  private final String user;
  private final FastRegion region;
  private final FastRules rules;
  private final TableRules table;
  private final LongSupplier safePoint;
  private final boolean exclusive;

  /** Entry among the writes in flight; null until a version is to be drawn. */
  private @Nullable Write inFlight;

  /** True if a version was drawn. */
  private boolean isDrawn;

  /**
   * Table and server of an attempt.
   *
   * @param user who sent the request, for the per-user limit of fenced attempts; "" if unknown
   * @param rules for the table
   * @param safePoint the oldest snapshot still readable; read after a row has been searched
   * @param exclusive whether the row locks are exclusive; if not, other blind writers may write the
   *     same rows concurrently
   */
  public record Setting(
      String user,
      FastRegion region,
      TableRules rules,
      LongSupplier safePoint,
      boolean exclusive) {}

  public FastAttempt(RegionRequest request, Setting setting) {
    this.request = request;
    this.user = setting.user();
    this.region = setting.region();
    this.table = setting.rules();
    this.rules = table.toRules(region);
    this.safePoint = setting.safePoint();
    this.exclusive = setting.exclusive();
  }

  /**
   * Decides about all rows.
   *
   * @param rows the request's rows, in its order
   * @throws ExhaustedException if no version could be drawn; nothing has been decided
   */
  public List<Written> decide(List<? extends StoredRow> rows) throws IOException {
    return decide(rows, List.of());
  }

  /**
   * Decides about all rows of a request that has read others.
   *
   * @param rows the request's rows, in its order
   * @param reads the rows that it has read, in its order, as they are visible when they are looked
   *     at; not locked
   * @return one for each row of the request; if it was not applied because of what it has read,
   *     then also for the rows that were read, as far as they were looked at
   * @throws ExhaustedException if no version could be drawn; nothing has been decided
   */
  public List<Written> decide(List<? extends StoredRow> rows, List<? extends StoredRow> reads)
      throws IOException {
    if (request instanceof OperationLookup lookup) {
      return List.of(repetition().lookUp(lookup, rows.get(0)));
    }
    if (request instanceof OneRegionCommit commit) {
      table.requireSchema(commit.knownSchema());
    }
    List<FastPlan> plans = new ArrayList<>(rows.size());
    boolean blocked = false;
    long highestCommit = 0;
    long expiry = FamilyRetention.NEVER;
    List<Bytes> written = new ArrayList<>(rows.size());
    for (int i = 0; i < rows.size(); i++) {
      FastPlan plan = plan(i, rows.get(i));
      plans.add(plan);
      blocked |= plan.outcome() != null;
      highestCommit = Math.max(highestCommit, plan.highestCommit());
      expiry = Math.min(expiry, plan.expiry());
      if (plan.effects() != null && !plan.effects().isEmpty()) {
        written.add(rows.get(i).key());
      }
    }
    if (isAtomic() && blocked) {
      return nothing(plans);
    }
    requireStillReadable();
    long version = written.isEmpty() ? 0 : draw(written, highestCommit, expiry);
    if (!reads.isEmpty()) {
      CommitReads certified = new CommitReads((OneRegionCommit) request, region, rules);
      if (!certified.areUnchanged(reads, version) || isBelowSafePoint()) {
        return withdraw(plans.size(), certified.outcomes());
      }
    }
    List<Written> result = new ArrayList<>(plans.size());
    for (int i = 0; i < plans.size(); i++) {
      result.add(write(i, plans.get(i), version));
    }
    return result;
  }

  /** Returns true if a version was drawn: from then on this code does not refuse the attempt. */
  public boolean isDrawn() {
    return isDrawn;
  }

  /** Looks into the region after a failure. */
  @FunctionalInterface
  public interface Aftermath {
    /**
     * Returns whether a row has a visible cell of this version, when everything that is stored has
     * become visible.
     */
    boolean isVisible(Bytes row, long version);
  }

  /**
   * Handles a failure, or a possible one: the version drawn may never become visible, or only some
   * time after HBase has released the locks. If it has not, and its cells had been on their way to
   * the log, the write is in doubt.
   */
  public void failed(Aftermath aftermath) {
    Write write = inFlight;
    boolean isVisible =
        isDrawn && write != null && aftermath.isVisible(write.anyRow(), write.version());
    boolean mayBeStored = isDrawn && (write == null || write.isLogged() || isVisible);
    if (write != null && mayBeStored && !isVisible) {
      write.doubt();
    }
    for (Bytes row : request.rows()) {
      region.settled().forget(row);
      region.recent().doubt(row);
      region.known().forget(row, 0);
    }
    if (mayBeStored) {
      region.known().doubt();
    }
  }

  /** Releases waiting readers; has no effect if nothing was in flight. */
  public void end() {
    if (inFlight != null) {
      inFlight.end();
    }
  }

  private FastPlan plan(int index, StoredRow row) throws IOException {
    if (request instanceof OneRegionCommit commit) {
      long start = commit.startTimestamp();
      boolean remembered = admit(OperationId.ofTransaction(start), commit.repeated(), start);
      requireSentToThisOpening(commit);
      FastPlan plan =
          issued(rules.plan(start, commit.intents().get(index), row, commit.repeated()));
      if (commit.repeated()) {
        repetition().requireSure(plan, remembered, start, commit.mark());
      }
      return plan;
    }
    FastWrite write = (FastWrite) request;
    FastOperation operation = write.operations().get(index);
    if (operation.id().equals(OperationId.NONE)) {
      return issued(rules.plan(operation, row, false));
    }
    boolean remembered = admit(operation.id(), operation.repeated(), operation.firstMark());
    requireSentToThisOpening(operation);
    FastPlan plan = issued(rules.plan(operation, row, operation.repeated()));
    if (operation.repeated()) {
      repetition().requireSure(plan, remembered, operation.firstMark(), write.mark());
    }
    return plan.isAppliedBefore() || !isTooOld(operation.condition())
        ? plan
        : FastPlan.ended(Outcome.of(FastReply.Kind.CONFLICT, safePoint.getAsLong()));
  }

  /**
   * Refuses the row if another program has stored a commit timestamp that was never issued. The
   * region may draw, so the server has a tick above everything stored before the region opened.
   */
  private FastPlan issued(FastPlan plan) {
    region.clock().requireStoredIssued(plan.highestStored());
    return plan;
  }

  /**
   * Returns true if the expected state was read so long ago that later commits may have lost their
   * timestamps: below the safe point, old versions are frozen and transaction cells collected.
   */
  private boolean isTooOld(FastCondition condition) {
    return condition instanceof FastCondition.Unchanged unchanged
        && unchanged.version() != 0
        && unchanged.version() < safePoint.getAsLong();
  }

  /**
   * Checks the safe point after the search: a commit above the snapshot of a one-region commit is
   * found only while it has not been collected. This server knows the safe point that allowed a
   * collection before it reads the result, so this check covers every row searched (H7).
   */
  private void requireStillReadable() {
    if (request instanceof OneRegionCommit && isBelowSafePoint()) {
      throw repetition().belowSafePoint(request.startTimestamp());
    }
  }

  private boolean isBelowSafePoint() {
    return request.startTimestamp() < safePoint.getAsLong();
  }

  /**
   * Admits or refuses an attempt.
   *
   * @param above lower bound of its version, if it has one
   * @return whether later first attempts will be refused
   */
  private boolean admit(OperationId id, boolean repeated, long above) {
    if (region.fencedAttempts().forbids(id, repeated)) {
      throw Refused.because(
          Refusal.Code.SUPERSEDED,
          "the operation has been sent again, or asked about, since: ask for its fate, id=" + id);
    }
    if (!repeated && above < safePoint.getAsLong()) {
      // If the reply were lost, the outcome could not be looked up.
      throw repetition().belowSafePoint(above);
    }
    return repeated && repetition().fenceFirst(id);
  }

  /**
   * Refuses a first attempt that may have been repeated elsewhere: this server has not seen
   * requests that arrived while the region was elsewhere. So a first attempt is executed only if
   * its session knew of this opening when it sent the attempt [E4]. Nothing was executed: the
   * session takes the opening's tick as its mark and sends the operation again.
   */
  private void requireSentToThisOpening(FastOperation operation) {
    long opened = region.recent().openingUnknownTo(operation.firstMark());
    if (!operation.repeated() && opened != 0) {
      throw RepetitionRules.withNewerMark(
          "the region has been opened since the session last heard of a timestamp",
          operation.firstMark(),
          opened);
    }
  }

  /** Refuses a one-region commit likewise; the transaction then commits in the regular way. */
  private void requireSentToThisOpening(OneRegionCommit commit) {
    long known = Math.max(commit.mark(), commit.startTimestamp());
    if (!commit.repeated() && region.recent().openingUnknownTo(known) != 0) {
      throw Refused.because(
          Refusal.Code.NOT_READY,
          "the region was opened after the transaction had begun, start="
              + commit.startTimestamp());
    }
  }

  private RepetitionRules repetition() {
    return new RepetitionRules(user, region, safePoint);
  }

  /**
   * Gives up the version that was drawn: nothing is written, and others need not wait.
   *
   * @param reads outcomes of rows that were read
   */
  private List<Written> withdraw(int rows, List<Outcome> reads) {
    for (Bytes row : request.rows()) {
      region.settled().forget(row);
      region.recent().doubt(row);
      region.known().forget(row, 0);
    }
    end();
    isDrawn = false;
    List<Written> result = new ArrayList<>(Collections.nCopies(rows, NOTHING));
    reads.forEach(read -> result.add(new Written(read, List.of())));
    return result;
  }

  private boolean isAtomic() {
    return request instanceof OneRegionCommit || request instanceof FastWrite w && w.atomic();
  }

  /** Returns the result of an atomic request that was applied before, or that is blocked. */
  private static List<Written> nothing(List<FastPlan> plans) {
    Optional<Outcome> before =
        plans.stream()
            .map(FastPlan::outcome)
            .filter(o -> o != null && o.kind() == FastReply.Kind.APPLIED_BEFORE)
            .findFirst();
    List<Written> result = new ArrayList<>(plans.size());
    for (FastPlan plan : plans) {
      Outcome own = plan.outcome();
      Outcome outcome =
          before.isPresent() && (own == null || own.kind() != FastReply.Kind.APPLIED_BEFORE)
              ? Outcome.of(FastReply.Kind.APPLIED_BEFORE, before.get().version())
              : own == null ? Outcome.of(FastReply.Kind.NOT_APPLIED, 0) : own;
      result.add(new Written(outcome, List.of()));
    }
    return result;
  }

  /**
   * Draws a version that is not above {@code expiry}: values read for the write must not expire
   * before its version; otherwise they are read again.
   */
  private long draw(List<Bytes> rows, long highestCommit, long expiry) throws ExhaustedException {
    Write write = region.inFlight().register(rows);
    inFlight = write;
    long version = region.clock().next(highestCommit);
    if (version == LocalVersionClock.EXHAUSTED || version > expiry) {
      write.end();
      throw new ExhaustedException(version == LocalVersionClock.EXHAUSTED);
    }
    isDrawn = true;
    for (Bytes row : rows) {
      region.recent().drawn(row, version);
      region.known().drawn(row, version);
      settle(row, version);
    }
    write.drawn(version);
    return version;
  }

  /**
   * Records the row as settled if its lock is exclusive and the level is ROW, otherwise only its
   * version: at level CELL the whole row has not been searched for intents.
   */
  private void settle(Bytes row, long version) {
    if (exclusive && table.level() == ConflictLevel.ROW) {
      region.settled().settled(row, table.floor(), version);
    } else {
      region.settled().raise(row, version);
    }
  }

  private Written write(int index, FastPlan plan, long version) {
    Outcome outcome = plan.outcome();
    if (outcome != null) {
      return new Written(outcome, List.of());
    }
    FastEffects effects = Objects.requireNonNull(plan.effects());
    if (effects.isEmpty()) {
      // A row that was only checked. In an atomic request it has the version of the others.
      return new Written(Outcome.of(FastReply.Kind.COMMITTED, version), List.of());
    }
    if (request instanceof OneRegionCommit commit) {
      OperationId id = OperationId.ofTransaction(commit.startTimestamp());
      return new Written(
          Outcome.of(FastReply.Kind.COMMITTED, version), effects.writes(version, id));
    }
    FastOperation operation = ((FastWrite) request).operations().get(index);
    return new Written(
        new Outcome(
            FastReply.Kind.COMMITTED,
            version,
            Optional.empty(),
            operation.returnsCells() ? effects.results() : List.of()),
        effects.writes(version, operation.id()));
  }
}
