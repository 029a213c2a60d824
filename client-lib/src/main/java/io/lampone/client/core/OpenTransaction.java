package io.lampone.client.core;

import io.lampone.client.core.CommitOutcome.Aborted;
import io.lampone.client.core.CommitOutcome.Committed;
import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.client.core.TransactionStore.FlushBatch;
import io.lampone.client.core.TransactionStore.TableIntents;
import io.lampone.client.core.failure.IllegalUseException;
import io.lampone.client.core.failure.TransactionEndedException;
import io.lampone.client.core.failure.TransactionTimeoutException;
import io.lampone.client.core.slow.TransactionTrace;
import io.lampone.client.core.slow.TransactionTrace.Phase;
import io.lampone.client.core.status.KnownFates;
import io.lampone.client.core.step.Gate;
import io.lampone.client.core.step.Step;
import io.lampone.client.core.vote.Reserver;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.RegionRequest.FollowerList;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Grant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Open transaction: its snapshot, buffered writes, savepoints, and flushed intents (protocol page,
 * section 4).
 *
 * <pre>
 *   ACTIVE --commit--> ENDING --> ENDED(outcome)
 *      |---rollback-------------> ENDED(Aborted)
 *      +---a flush is refused---> ENDED(Conflict | Refused | Aborted)
 * </pre>
 *
 * Thread-safe; every field is guarded by this object's monitor, which is held over no call to
 * others.
 */
public final class OpenTransaction {

  private final Begin begin;
  private final TransactionMode mode;
  private final Services services;
  private final long deadlineNanos;

  private final WriteBuffer buffer = new WriteBuffer();
  private final ReadSet reads;
  private final Reserver.Reservation reserved;
  // place of every intent that was sent -> slots that were rolled back when it was sent last
  private final Map<RowFamily, SlotSet> flushed = new TreeMap<>();
  private final KnownFates judgments = new KnownFates();
  private final Savepoints savepoints = new Savepoints();
  private int writtenCells;
  private long flushNumber;
  // fixed before the first flush
  private @Nullable RowFamily leader;
  // end of the last flush; reads wait for it: its cells are neither buffered nor acknowledged
  private Gate<Void> flushing = Gate.opened(Step.done());
  private boolean ending;
  private boolean rolledBackWholly;
  private @Nullable CommitOutcome outcome;

  /**
   * Services shared by transactions.
   *
   * @param store store of the intents
   * @param resolver judge of intents that reads meet
   * @param protocol commit protocol
   * @param postCommit clean-up
   * @param clock for deadlines
   * @param limits limits of one transaction
   * @param session receiver of commit timestamps
   * @param oneRegion commit in one region
   * @param trace measures the phases; of one transaction only
   * @param reserver reserves what is written
   */
  public record Services(
      TransactionStore store,
      IntentResolver resolver,
      CommitProtocol protocol,
      PostCommit postCommit,
      Clock clock,
      TransactionLimits limits,
      Session session,
      OneRegionCommitter oneRegion,
      TransactionTrace trace,
      Reserver reserver) {}

  /**
   * @param begin snapshot and floor
   * @param deadlineNanos on the monotonic clock
   */
  public OpenTransaction(Begin begin, TransactionMode mode, Services services, long deadlineNanos) {
    this.begin = begin;
    this.mode = mode;
    this.services = services;
    this.deadlineNanos = deadlineNanos;
    this.reads = ReadSet.of(mode, services.limits());
    this.reserved = services.reserver().begun(begin, deadlineNanos, early -> giveUp(early, false));
  }

  public long startTimestamp() {
    return begin.startTimestamp();
  }

  /** Returns the proof that the transaction belongs to this client. */
  public Grant grant() {
    return begin.grant();
  }

  /** Returns the time, on the monotonic clock, after which the transaction counts as ended. */
  public long deadlineNanos() {
    return deadlineNanos;
  }

  /** Returns the name; empty until the first intent is sent. */
  public synchronized Optional<TransactionId> id() {
    return Optional.ofNullable(leader).map(l -> new TransactionId(begin.startTimestamp(), l));
  }

  /** Returns the outcome; empty while the transaction has not ended. */
  public synchronized Optional<CommitOutcome> outcome() {
    return Optional.ofNullable(outcome);
  }

  /**
   * Returns the request of a read; waits for a running flush. Fails with {@link
   * TransactionEndedException} if the transaction has ended.
   */
  public Step<ReadRequest> readRequest() {
    synchronized (this) {
      checkActive();
    }
    return readRequest(SlotSet.NONE);
  }

  /**
   * Returns the request of a read that sees the transaction's writes except some, also after a
   * commit; after a rollback it sees none. Fails with {@link TransactionEndedException} if the
   * transaction has failed.
   *
   * @param hidden slots of its own writes that are not visible
   */
  public Step<ReadRequest> readRequest(SlotSet hidden) {
    Step<Void> flushed;
    boolean ownsWrites;
    synchronized (this) {
      ownsWrites = mode.ownsWrites() && !rolledBackWholly;
      if (outcome != null && !rolledBackWholly && !(outcome instanceof Committed)) {
        throw new TransactionEndedException(outcome);
      }
      flushed = rolledBackWholly ? Step.done() : flushing.passed();
    }
    return flushed.map(
        done -> {
          synchronized (this) {
            SlotSet unseen = savepoints.rolledBack().union(hidden);
            return new ReadRequest(
                    begin.startTimestamp(), ownsWrites, begin.floor(), unseen, judgments.all())
                .shown(services.session().shown());
          }
        });
  }

  /** Determines the fates of intents that a read has met; its next attempt carries them. */
  public Step<Map<TransactionId, Fate>> resolve(Collection<Intent> intents) {
    services.trace().met(intents.size());
    return services
        .trace()
        .measure(
            Phase.RESOLVE,
            () -> services.resolver().resolve(intents, begin.startTimestamp(), begin.floor()))
        .map(
            judged -> {
              judgments.add(judged);
              return judged;
            });
  }

  /** Returns the read set, to which reads are added. */
  public ReadSet reads() {
    return reads;
  }

  /** Returns true if a row has writes that the servers have not seen. */
  public synchronized boolean buffers(String table, Bytes row) {
    return buffer.touchesRow(table, row);
  }

  /**
   * Returns true if a row of the range has writes that the servers have not seen; empty = no bound.
   */
  public synchronized boolean buffersAny(
      String table, Bytes start, boolean includeStart, Bytes stop, boolean includeStop) {
    return buffer.touchesRange(table, start, includeStart, stop, includeStop);
  }

  /**
   * Turns the commit into a conflict if the fence of a table has been recorded since the begin.
   *
   * @param known the table's regions refuse writes if their schema floor is above it; 0 = no limit
   */
  public synchronized void checkSchema(String table, long known) {
    checkActive();
    buffer.checkSchema(table, known);
  }

  /** Returns the buffered writes of a row, an overlay on the servers' replies. */
  public synchronized RowOverlay overlay(String table, Bytes row) {
    return buffer.overlay(table, row);
  }

  /**
   * Buffers cells of one row and family, in order; their slots are set here. Completes when the
   * buffer is below its limit again.
   *
   * @throws IllegalUseException if the transaction is read-only or writes too much
   */
  public Step<Void> write(ConflictLevel level, RowFamily place, List<Write> writes) {
    synchronized (this) {
      checkActive();
      if (mode.readOnly()) {
        throw new IllegalUseException(
            "a read-only transaction cannot write: begin one that is not, table=" + place.table());
      }
      if (writtenCells + writes.size() > services.limits().writtenCells()) {
        throw IllegalUseException.ofLimit(
            "the transaction writes too many cells: split it, or raise the limit"
                + " lampone.client.transaction.cells, limit="
                + services.limits().writtenCells());
      }
      writtenCells += writes.size();
      boolean due = false;
      for (Write write : writes) {
        buffer.add(level, place, savepoints.slot(), write);
        reads.wrote(level, place, write, savepoints.slot());
        due |= reserved.wrote(level, place, write.kind(), write.qualifier());
      }
      if (buffer.bytes() <= services.limits().bufferBytes()) {
        return due ? Step.fork(services.reserver().send()) : Step.done();
      }
    }
    return flush();
  }

  /** Write without its slot. */
  public record Write(IntentKind kind, Bytes qualifier, Bytes value, long lifetimeMillis) {}

  /**
   * Sets a savepoint.
   *
   * @return the first slot that a rollback to it undoes
   * @throws IllegalUseException if no slots are left
   */
  public synchronized int savepoint() {
    checkActive();
    return savepoints.set();
  }

  /**
   * Undoes the writes of {@code from} and all later slots. Writes already sent are undone by the
   * set of rolled-back slots, which every read carries and which reaches every transaction cell
   * before the commit request leaves [R2].
   */
  public synchronized void rollbackTo(int from) {
    checkActive();
    savepoints.rollbackTo(from, !flushed.isEmpty());
    buffer.dropFrom(from);
    reads.rolledBackTo(from);
  }

  /** Sends the buffer. A refusal ends the transaction. */
  public Step<Void> flush() {
    return Step.begin(event -> send(false));
  }

  /** Commits. Never fails: every failure is an outcome. */
  public Step<CommitOutcome> commit() {
    Optional<OneRegionCommitter.WriteSet> small;
    ReadSet.Unprotected unprotected;
    synchronized (this) {
      checkActive();
      ending = true;
      if (buffer.isEmpty() && leader == null) {
        return end(new Committed(0));
      }
      unprotected = reads.unprotected();
      small =
          mode.oneRegionCommit() && leader == null
              ? OneRegionCommitter.WriteSet.of(begin, buffer, unprotected)
              : Optional.empty();
      // From here on the transaction has a name, whatever its end.
      small.ifPresent(set -> leader = set.id().leader());
    }
    if (small.isEmpty()) {
      return commitByIntents(unprotected);
    }
    return services
        .oneRegion()
        .commit(small.get(), deadlineNanos, services.trace())
        .then(outcome -> outcome.isPresent() ? end(outcome.get()) : commitByIntents(unprotected));
  }

  private Step<CommitOutcome> commitByIntents(ReadSet.Unprotected unprotected) {
    return send(true)
        .next(
            flushed -> {
              Optional<CommitOutcome> ended = outcome();
              if (ended.isPresent()) {
                return Step.done(ended.get());
              }
              if (flushed.failure() != null) {
                return end(CommitOutcome.ofFailedFlush(flushed.failure()));
              }
              TransactionId id = id().orElseThrow();
              return services
                  .protocol()
                  .commit(
                      id,
                      begin,
                      buffer.conflictKeys(),
                      unprotected,
                      services.resolver(),
                      deadlineNanos,
                      services.trace())
                  .then(result -> afterwards(id, result).then(begun -> end(result)));
            });
  }

  /** Starts the post-commit work of a requested commit. */
  private Step<Void> afterwards(TransactionId id, CommitOutcome result) {
    if (result instanceof Committed committed) {
      return services
          .postCommit()
          .afterCommit(id, begin.floor(), followers(), committed.fate(), begin.grant());
    }
    return result instanceof CommitOutcome.Unknown ? Step.done() : abandon(false);
  }

  /** Ends the transaction without effect; does nothing if it has ended. */
  public Step<Void> rollback() {
    return giveUp(new Aborted(Aborted.Reason.ROLLED_BACK, "rolled back", null), true);
  }

  /** Ends the transaction while it runs. */
  private Step<Void> giveUp(CommitOutcome end, boolean wholly) {
    Step<Void> flushed;
    synchronized (this) {
      if (outcome != null || ending) {
        return Step.done();
      }
      ending = true;
      rolledBackWholly = wholly;
      outcome = end;
      flushed = flushing.passed();
    }
    return flushed.next(event -> abandon(event.failure() != null));
  }

  private Step<Void> abandon(boolean plant) {
    reserved.ended(true);
    PostCommit rest = services.postCommit();
    return id().map(id -> rest.afterAbort(id, begin.floor(), followers(), plant, begin.grant()))
        .orElseGet(Step::done);
  }

  private synchronized Step<CommitOutcome> end(CommitOutcome result) {
    boolean release = true;
    if (result instanceof Committed committed) {
      services.session().heardOf(committed.commitTimestamp(), committed.issued());
      // A validation that admits ends what was reserved.
      release = Timestamps.isCommittedAtBirth(committed.commitTimestamp());
    }
    reserved.ended(release);
    outcome = result;
    return Step.done(result);
  }

  /** Returns every transaction cell but the leader's. */
  private synchronized List<RowFamily> followers() {
    List<RowFamily> followers = new ArrayList<>(flushed.keySet());
    followers.remove(leader);
    return followers;
  }

  /**
   * Drains the buffer and sends it, after a running flush. The last flush also brings the set of
   * rolled-back slots to every cell that does not have it, and the complete list of followers to
   * the leader: both are acknowledged before the commit request leaves.
   */
  private Step<Void> send(boolean last) {
    Phase phase = last ? Phase.FLUSH : Phase.EARLY_FLUSH;
    Step<Void> before;
    Gate<Void> flushed;
    FlushBatch batch;
    synchronized (this) {
      if (!last) {
        checkActive();
      }
      before = flushing.passed();
      if (!last && buffer.isEmpty()) {
        return before;
      }
      batch = drain(last);
      flushed = new Gate<>();
      flushing = flushed;
    }
    return before
        .then(done -> services.trace().measure(phase, () -> services.store().flush(batch)))
        .next(
            event -> {
              Throwable failure = event.failure();
              Step<Void> rest = failure == null ? Step.done() : afterFailedFlush(failure);
              flushed.open(event.end());
              return rest.then(begun -> event.end());
            });
  }

  private FlushBatch drain(boolean last) {
    if (leader == null) {
      leader = buffer.firstPlace();
    }
    SlotSet rolledBack = savepoints.rolledBack();
    List<RowFamily> others = new ArrayList<>();
    if (last) {
      flushed.forEach(
          (place, slots) -> {
            if (!slots.equals(rolledBack) || place.equals(leader)) {
              others.add(place);
            }
          });
    }
    List<RowFamily> places = buffer.places();
    places.forEach(place -> flushed.put(place, rolledBack));
    others.forEach(place -> flushed.put(place, rolledBack));
    Map<String, TableIntents> tables = buffer.drain(rolledBack, others, leader, followerList(last));
    return new FlushBatch(
        new TransactionId(begin.startTimestamp(), leader),
        begin.floor(),
        ++flushNumber,
        tables,
        begin.grant());
  }

  private Optional<FollowerList> followerList(boolean last) {
    return Optional.of(
        last
            ? FollowerList.ofAll(followers(), services.limits().recordedFollowers())
            : FollowerList.INCOMPLETE);
  }

  /** Ends the transaction after a failed flush: without a commit request, nothing is in doubt. */
  private Step<Void> afterFailedFlush(Throwable failure) {
    synchronized (this) {
      if (outcome != null) {
        return Step.done();
      }
      outcome = CommitOutcome.ofFailedFlush(failure);
    }
    return abandon(true);
  }

  private void checkActive() {
    if (outcome != null) {
      throw new TransactionEndedException(outcome);
    }
    if (ending) {
      throw new IllegalUseException("the transaction is being committed by another call");
    }
    if (services.clock().monotonicNanos() - deadlineNanos > 0) {
      throw new TransactionTimeoutException(begin.startTimestamp());
    }
  }
}
