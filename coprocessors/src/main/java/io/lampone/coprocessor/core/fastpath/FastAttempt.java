package io.lampone.coprocessor.core.fastpath;

import io.lampone.coprocessor.core.clock.ExhaustedException;
import io.lampone.coprocessor.core.clock.InFlightWrites.Write;
import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.fastpath.FastPlan.Written;
import io.lampone.coprocessor.core.fastpath.FencedAttempts.By;
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
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to carry out a request whose writes are committed at birth (protocol page, section
 * 8). {@link #decide} runs under the exclusive locks of all rows; {@link #end} when HBase has made
 * the cells visible, or has rolled them back, and in every other case.
 *
 * <p>All rows of a request share one version. For rows that are operations of their own that is
 * more than was asked for, and costs nothing.
 */
public final class FastAttempt {

  private final RegionRequest request;
  private final String user;
  private final FastRegion region;
  private final FastRules rules;
  private final TableRules table;
  private final LongSupplier safePoint;
  private final boolean exclusive;

  /** The entry among the writes in flight; null until something is to be written. */
  private @Nullable Write inFlight;

  /** True if a version was drawn, so that something was to be written. */
  private boolean isDrawn;

  /**
   * Table and server of an attempt.
   *
   * @param user of the request, who has a share of what the region remembers; "" if unknown
   * @param rules for the table
   * @param safePoint the oldest snapshot still readable; asked after a row has been searched
   * @param exclusive whether the row locks are exclusive ones; if not, others write blindly to the
   *     same rows at the same time
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
    if (request instanceof OperationLookup lookup) {
      return List.of(lookUp(lookup, rows.get(0)));
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
    List<Written> result = new ArrayList<>(plans.size());
    for (int i = 0; i < plans.size(); i++) {
      result.add(write(i, plans.get(i), version));
    }
    return result;
  }

  /** Returns true if a version was drawn: from then on we do not refuse the attempt. */
  public boolean isDrawn() {
    return isDrawn;
  }

  /**
   * Handles a failure, or a possible one: the version drawn may never become visible, or only a
   * while after HBase has released the locks.
   *
   * @param visible returns when everything is visible that has been stored
   */
  public void failed(Runnable visible) {
    if (isDrawn) {
      visible.run();
    }
    for (Bytes row : request.rows()) {
      region.settled().forget(row);
      region.recent().doubt(row);
    }
    if (isDrawn) {
      region.known().doubt();
    }
  }

  /** Lets readers go on; does no harm if nothing was in flight. */
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
        requireSure(plan, remembered, start, commit.mark());
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
      requireSure(plan, remembered, operation.firstMark(), write.mark());
    }
    return plan.isAppliedBefore() || !isTooOld(operation.condition())
        ? plan
        : FastPlan.ended(Outcome.of(FastReply.Kind.CONFLICT, safePoint.getAsLong()));
  }

  /**
   * Refuses what another program has stored above all that was issued. The region draws, so a tick
   * has come that is above whatever was stored before it opened.
   */
  private FastPlan issued(FastPlan plan) {
    region.clock().requireStoredIssued(plan.highestStored());
    return plan;
  }

  /**
   * Returns true if the expected state was read so long ago that commits since may have lost their
   * timestamps: below the safe point, old versions are frozen and transaction cells collected.
   */
  private boolean isTooOld(FastCondition condition) {
    return condition instanceof FastCondition.Unchanged unchanged
        && unchanged.version() != 0
        && unchanged.version() < safePoint.getAsLong();
  }

  /**
   * After the search: a commit above the snapshot of a one-region commit is found only while it has
   * not been collected. The safe point that allowed a collection is known here before its result is
   * read, so a look after the search covers every row that was searched (H7).
   */
  private void requireStillReadable() {
    if (request instanceof OneRegionCommit commit
        && commit.startTimestamp() < safePoint.getAsLong()) {
      throw belowSafePoint(commit.startTimestamp());
    }
  }

  /**
   * Lets an attempt in, or not.
   *
   * @param above its version, if it has one, is above this
   * @return whether first attempts that come later will be refused
   */
  private boolean admit(OperationId id, boolean repeated, long above) {
    if (region.fencedAttempts().forbids(id, repeated)) {
      throw Refused.because(
          Refusal.Code.SUPERSEDED,
          "the operation has been sent again, or asked about, since: ask for its fate, id=" + id);
    }
    if (!repeated && above < safePoint.getAsLong()) {
      // If its reply were lost, nobody could find out about it.
      throw belowSafePoint(above);
    }
    return repeated && region.fencedAttempts().add(user, id, By.REPETITION);
  }

  /**
   * Fails unless the result of a repetition is certain. It is if its id was found; else only if
   * what was not found does not exist, if no other server has reported it absent for good, and if
   * the first attempt will not be carried out after this one.
   *
   * @param mark what its session knew of when it sent this repetition
   */
  private void requireSure(FastPlan plan, boolean remembered, long above, long mark) {
    if (plan.isAppliedBefore()) {
      return;
    }
    if (above < safePoint.getAsLong()) {
      throw belowSafePoint(above);
    }
    // Held up while the region was elsewhere: its sender may have given it up and asked there, and
    // only that server knows [E4]. Sent by who knows of this opening, it comes before any question
    // that it could contradict, or that question was asked here.
    long opened = region.recent().openingUnknownTo(Math.max(mark, above));
    if (opened != 0) {
      throw new Refused(
          new Refusal(
              Refusal.Code.NOT_READY,
              "the region has been opened since the operation was repeated: repeat it with a newer"
                  + " mark, mark="
                  + mark
                  + " leastMark="
                  + opened,
              opened,
              Bytes.EMPTY));
    }
    if (!remembered) {
      throw tooManyInDoubt();
    }
  }

  /**
   * Refuses a first attempt that may have been repeated elsewhere: this server has not seen
   * requests that came while the region was elsewhere. A first attempt is carried out only by an
   * opening that its session can have known of when it sent it [E4]. Nothing was executed: the
   * session takes the opening's tick for a mark, and sends it again.
   */
  private void requireSentToThisOpening(FastOperation operation) {
    long opened = region.recent().openingUnknownTo(operation.firstMark());
    if (!operation.repeated() && opened != 0) {
      throw withNewerMark(
          "the region has been opened since the session last heard of a timestamp",
          operation.firstMark(),
          opened);
    }
  }

  /** The same; the transaction commits the ordinary way. */
  private void requireSentToThisOpening(OneRegionCommit commit) {
    long known = Math.max(commit.mark(), commit.startTimestamp());
    if (!commit.repeated() && region.recent().openingUnknownTo(known) != 0) {
      throw Refused.because(
          Refusal.Code.NOT_READY,
          "the region was opened after the transaction had begun, start="
              + commit.startTimestamp());
    }
  }

  /**
   * The session takes the clock for a mark, which was issued not long ago: the safe point goes on
   * rising, and would be above itself when the operation comes again.
   */
  private Refused belowSafePoint(long above) {
    return withNewerMark(
        "the operation could not be found again below the safe point",
        above,
        Math.max(safePoint.getAsLong(), region.clock().current()));
  }

  /** The session takes {@code least} for a mark. */
  private static Refused withNewerMark(String why, long above, long least) {
    return new Refused(
        new Refusal(
            Refusal.Code.BELOW_SAFE_POINT,
            why + ": send it with a newer mark, firstMark=" + above + " leastMark=" + least,
            least,
            Bytes.EMPTY));
  }

  private static Refused tooManyInDoubt() {
    return Refused.because(
        Refusal.Code.NOT_READY,
        "too many operations of the region have been in doubt within the hour; come again, or ask"
            + " for the outcome later, limit="
            + FencedAttempts.MAX_OPERATIONS
            + ", and half of it for one user");
  }

  private Written lookUp(OperationLookup lookup, StoredRow row) throws IOException {
    long version = FastRules.versionOf(lookup.id(), row, lookup.above());
    if (version != 0) {
      return new Written(Outcome.of(FastReply.Kind.APPLIED_BEFORE, version), List.of());
    }
    long safe = safePoint.getAsLong();
    if (lookup.id().isTransaction() && !lookup.isProved()) {
      // It must end nothing. Below the safe point nothing is left to be ended.
      if (lookup.startTimestamp() >= safe) {
        throw Refused.because(
            Refusal.Code.UNPROVED,
            "only its owner may end a transaction that has not committed, start="
                + lookup.startTimestamp());
      }
    } else if (!region.fencedAttempts().add(user, lookup.id(), By.LOOKUP)) {
      throw tooManyInDoubt();
    }
    return new Written(Outcome.of(FastReply.Kind.NOT_APPLIED, safe), List.of());
  }

  private boolean isAtomic() {
    return request instanceof OneRegionCommit || request instanceof FastWrite w && w.atomic();
  }

  /** An atomic request that is not applied now: it was before, or something is in the way. */
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
   * Draws a version that is not above {@code expiry}: data read for the write must not expire
   * before its version, else it is read again.
   */
  private long draw(List<Bytes> rows, long highestCommit, long expiry) throws ExhaustedException {
    Write write = region.inFlight().register(rows);
    inFlight = write;
    long version = region.clock().next(highestCommit);
    if (version == LocalVersionClock.EXHAUSTED || version > expiry) {
      write.end();
      throw new ExhaustedException();
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
   * Records the row as settled if its lock is exclusive and the level ROW, else only its version:
   * at level CELL the whole row has not been searched for intents.
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
