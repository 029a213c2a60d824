package io.lampone.client.core;

import io.lampone.client.core.CommitOutcome.Committed;
import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.client.core.TransactionStore.FlushBatch;
import io.lampone.client.core.failure.IllegalUseException;
import io.lampone.client.core.failure.TransactionEndedException;
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
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Grant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Open transaction: its snapshot, buffered writes, savepoints, and flushed intents (protocol page,
 * section 4). Its states are those of {@link Lifecycle}.
 *
 * <p>Thread-safe; its monitor guards every field and is held over no call to others.
 */
public final class OpenTransaction {

  private final Begin begin;
  private final TransactionMode mode;
  private final Services services;
  private final long deadlineNanos;

  private final WriteBuffer buffer = new WriteBuffer();
  private final ReadSet reads;
  private final Reserver.Reservation reserved;
  private final SentIntents sent;
  private final Lifecycle life;
  private final KnownFates judgments = new KnownFates();
  private final Savepoints savepoints = new Savepoints();
  private int writtenCells;
  // end of the last flush; reads wait for it: its cells are neither buffered nor acknowledged
  private Gate<Void> flushing = Gate.opened(Step.done());

  /**
   * Services shared by transactions.
   *
   * @param trace measures the phases; of one transaction only
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
    this.life = new Lifecycle(begin.startTimestamp(), services.clock(), deadlineNanos);
    this.sent = new SentIntents(begin, services.limits().recordedFollowers());
    this.reads = ReadSet.of(mode, services.limits());
    this.reserved =
        services.reserver().begun(begin, deadlineNanos, mode.insists(), end -> giveUp(end, false));
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
    return sent.id();
  }

  /** Returns the outcome; empty while the transaction has not ended. */
  public synchronized Optional<CommitOutcome> outcome() {
    return life.outcome();
  }

  /**
   * Returns the request of a read; waits for a running flush. Fails with {@link
   * TransactionEndedException} if the transaction has ended.
   */
  public Step<ReadRequest> readRequest() {
    synchronized (this) {
      life.checkActive();
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
      life.checkReadable();
      ownsWrites = mode.ownsWrites() && !life.isRolledBackWholly();
      flushed = life.isRolledBackWholly() ? Step.done() : flushing.passed();
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
    TransactionTrace trace = services.trace();
    trace.met(intents.size());
    return trace
        .measure(
            Phase.RESOLVE,
            () -> services.resolver().resolve(intents, begin.startTimestamp(), begin.floor()))
        .map(judgments::add);
  }

  /** Returns the read set, to which reads are added. */
  public ReadSet reads() {
    return reads;
  }

  /** Returns true if a row has writes that the servers have not seen. */
  public synchronized boolean buffers(String table, Bytes row) {
    return buffer.touchesRow(table, row);
  }

  /** Returns the same of a range of rows; empty = no bound. */
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
    life.checkActive();
    buffer.checkSchema(table, known);
  }

  /** Returns the buffered writes of a row, an overlay on the servers' replies. */
  public synchronized RowOverlay overlay(String table, Bytes row) {
    return buffer.overlay(table, row);
  }

  /**
   * Admits all cells of an operation, or none, before one is buffered.
   *
   * @throws IllegalUseException if the transaction is read-only or writes too much
   */
  public synchronized void admit(String table, int cells) {
    life.checkActive();
    mode.checkWrites(table);
    writtenCells = services.limits().sumWritten(writtenCells, cells);
  }

  /** Admits and buffers cells of one row and family. */
  public Step<Void> write(ConflictLevel level, RowFamily place, List<Write> writes) {
    admit(place.table(), writes.size());
    return buffer(level, place, writes);
  }

  /** Buffers admitted cells of one row and family; completes when there is room for more. */
  public Step<Void> buffer(ConflictLevel level, RowFamily place, List<Write> writes) {
    synchronized (this) {
      life.checkActive();
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
    life.checkActive();
    return savepoints.set();
  }

  /**
   * Undoes the writes of {@code from} and all later slots. Writes already sent are undone by the
   * set of rolled-back slots, which every read carries and which reaches every transaction cell
   * before the commit request leaves [R2].
   */
  public synchronized void rollbackTo(int from) {
    life.checkActive();
    savepoints.rollbackTo(from, !sent.isEmpty());
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
      life.commits();
      if (buffer.isEmpty() && sent.id().isEmpty()) {
        return end(new Committed(0));
      }
      unprotected = reads.unprotected();
      small =
          mode.oneRegionCommit() && sent.id().isEmpty()
              ? OneRegionCommitter.WriteSet.of(begin, buffer, unprotected)
              : Optional.empty();
      // From here on the transaction has a name, whatever its end.
      small.ifPresent(set -> sent.lead(set.id().leader()));
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
                  .then(how -> Step.begin(now -> afterwards(id, how)).next(begun -> end(how)));
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
    return giveUp(CommitOutcome.rolledBack(null), true);
  }

  /** Ends the transaction while it runs; {@code wholly} as by a rollback, else as by a failure. */
  public Step<Void> giveUp(CommitOutcome end, boolean wholly) {
    Step<Void> flushed;
    synchronized (this) {
      if (!life.givesUp(end, wholly)) {
        return Step.done();
      }
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
    life.ends(result);
    return Step.done(result);
  }

  private synchronized List<RowFamily> followers() {
    return sent.followers();
  }

  /**
   * Drains the buffer and sends it, after a running flush. All of it is acknowledged before the
   * commit request leaves.
   */
  private Step<Void> send(boolean last) {
    Phase phase = last ? Phase.FLUSH : Phase.EARLY_FLUSH;
    Step<Void> before;
    Gate<Void> flushed;
    FlushBatch batch;
    synchronized (this) {
      if (!last) {
        life.checkActive();
      }
      before = flushing.passed();
      if (!last && buffer.isEmpty()) {
        return before;
      }
      batch = sent.drain(buffer, savepoints.rolledBack(), last);
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

  /** Ends the transaction after a failed flush: without a commit request, nothing is in doubt. */
  private Step<Void> afterFailedFlush(Throwable failure) {
    synchronized (this) {
      if (!life.fails(CommitOutcome.ofFailedFlush(failure))) {
        return Step.done();
      }
    }
    return abandon(true);
  }
}
