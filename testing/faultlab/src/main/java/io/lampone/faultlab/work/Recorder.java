package io.lampone.faultlab.work;

import io.lampone.checker.HistoryTransaction;
import io.lampone.checker.HistoryTransaction.Freshness;
import io.lampone.checker.KeyRange;
import io.lampone.checker.Operation;
import io.lampone.checker.Outcome;
import io.lampone.checker.format.HistoryWriter;
import io.lampone.client.CommitOutcomeUnknownException;
import io.lampone.client.ConflictException;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.faultlab.work.check.Unexplained;
import io.lampone.protocol.time.Clock;
import java.util.List;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Records the operations of one logical client, a transaction at a time. Uncertain outcomes stay
 * unknown; the client then continues under another number, because an order through an unknown
 * outcome would be wrong.
 */
public final class Recorder {

  private final WorkloadKind kind;
  private final HistoryWriter writer;
  private final Stamps stamps;
  private final ClientTally tally;
  private final Clock clock;
  private int process;
  private long began;
  private StepKind step = StepKind.TRANSACTION;
  private boolean serializable;
  private Freshness freshness = Freshness.STRICT;
  private boolean fast;

  /**
   * Operations with the reads that they have shown, and ranges scanned: what is being committed.
   */
  private List<Operation> requested = List.of();

  private List<KeyRange> scanned = List.of();

  /** Snapshot of its reads; 0 if there is none. */
  private long snapshot;

  /** True if it can meet no conflict, because it reads one snapshot and writes nothing. */
  private boolean readsSnapshot;

  public Recorder(
      WorkloadKind kind, HistoryWriter writer, Stamps stamps, ClientTally tally, Clock clock) {
    this.kind = kind;
    this.writer = writer;
    this.stamps = stamps;
    this.tally = tally;
    this.clock = clock;
    this.process = stamps.process();
  }

  /** A transaction is about to begin. */
  public void begin(StepKind kindOfStep) {
    began = clock.monotonicNanos();
    step = kindOfStep;
    tally.tried(step);
    serializable = false;
    freshness = Freshness.STRICT;
    readsSnapshot = false;
    fast = false;
    requested = List.of();
    scanned = List.of();
    snapshot = 0;
  }

  /** The one that has begun reads at this start timestamp. */
  void readsAt(long start) {
    snapshot = start;
  }

  /** The one that has begun only reads, and at one snapshot. */
  void readsSnapshot() {
    readsSnapshot = true;
  }

  /** The one that has begun reads with this freshness. */
  void freshness(Freshness chosen) {
    freshness = chosen;
  }

  /** The one that has begun has been done by the fast path. */
  public void byFastPath() {
    fast = true;
  }

  /** The one that has begun is serializable. */
  void serializable() {
    serializable = true;
  }

  /** Records that its commit is about to be requested, with all its writes. */
  public void invoke(List<Operation> operations) {
    invoke(operations, List.of());
  }

  /** The same; these ranges have been scanned. */
  void invoke(List<Operation> operations, List<KeyRange> scans) {
    requested = operations;
    scanned = scans;
    if (certifiesRanges()) {
      tally.tried(StepKind.SERIALIZABLE_SCAN);
    }
    writer.invoke(process, began, operations);
  }

  /** The same, by the fast path. */
  public void invokeFast(List<Operation> operations) {
    requested = operations;
    fast = true;
    writer.invokeFast(process, began, operations);
  }

  /** It has committed; 0 for a timestamp that it does not have. */
  public void ok(List<Operation> operations, String id, long start, long commit) {
    long now = clock.monotonicNanos();
    writer.ok(ended(Outcome.OK, operations, id, start, commit));
    tally.ok(kind, step, now - began);
    if (certifiesRanges()) {
      tally.alsoOk(StepKind.SERIALIZABLE_SCAN);
    }
  }

  private boolean certifiesRanges() {
    return serializable && !scanned.isEmpty();
  }

  /** The present transaction; the time of its end is that of its line. */
  private HistoryTransaction ended(
      Outcome outcome, List<Operation> operations, String id, long start, long commit) {
    return new HistoryTransaction(
        0,
        process,
        began,
        HistoryTransaction.NEVER,
        outcome,
        operations,
        id,
        start,
        commit,
        fast,
        serializable,
        scanned,
        freshness,
        HistoryTransaction.NO_SESSION);
  }

  /** Records the last transaction, which has read all keys. */
  public void lastLook(List<Operation> operations, long start) {
    writer.lastLook(
        new HistoryTransaction(
            0,
            process,
            began,
            clock.monotonicNanos(),
            Outcome.OK,
            operations,
            "",
            start,
            0,
            false,
            false,
            List.of(),
            HistoryTransaction.Freshness.STRICT,
            HistoryTransaction.NO_SESSION));
  }

  /** It ended without a trace, after {@link #invoke}; what it has read counts. */
  void failed(String cause) {
    failed(cause, "", 0);
  }

  private void failed(String cause, String row, long winner) {
    writer.failed(ended(Outcome.FAILED, requested, "", snapshot, 0), cause, row, winner);
    tally.failed();
  }

  /** Records a failure and its cause; one that no fault explains is a violation as well. */
  public void failed(Exception thrown) {
    Unexplained.of(thrown).ifPresent(this::violation);
    failedSo(thrown);
  }

  /** Records an unknown outcome. */
  void unknown(String cause, String id) {
    writer.unknown(ended(Outcome.UNKNOWN, requested, id, 0, 0), cause);
    process = stamps.process();
    tally.unknown();
  }

  /** On the clock of the history. */
  long now() {
    return clock.monotonicNanos();
  }

  /** Returns the time in place of a timestamp, for operations without one: never the same twice. */
  long tick() {
    return clock.monotonicNanos() << Byte.SIZE;
  }

  /** Records a violation, independent of the checker. */
  public void violation(String text) {
    writer.violation(text);
  }

  /**
   * Records the end of a commit that threw. The product promises: no trace, unless it reports the
   * outcome as unknown. Any other exception carries no promise.
   */
  public void commitThrew(Exception thrown, String id) {
    Unexplained.ofCommit(thrown).ifPresent(this::violation);
    if (thrown instanceof CommitOutcomeUnknownException open) {
      unknown(cause(thrown), id(open));
    } else if (thrown instanceof LamponeException) {
      failedSo(thrown);
    } else {
      unknown(cause(thrown), id);
    }
  }

  private void failedSo(Exception thrown) {
    if (readsSnapshot && cause(thrown).equals(Code.CONFLICT.name())) {
      violation("a conflict of a transaction that only reads a snapshot: " + thrown);
    }
    if (thrown instanceof ConflictException conflict) {
      if (hasImpossibleWinner(conflict)) {
        violation("a conflict with what lies in the snapshot: " + thrown);
      }
      failed(cause(thrown), Bytes.toStringBinary(conflict.row()), conflict.winnerCommitTimestamp());
    } else {
      failed(cause(thrown));
    }
  }

  /** Returns true if the loser had begun above the commit of the winner. */
  private static boolean hasImpossibleWinner(ConflictException conflict) {
    return switch (conflict.kind()) {
      case WRITE_WRITE, READ_WRITE, RANGE ->
          conflict.winnerCommitTimestamp() != 0
              && conflict.startTimestamp() != 0
              && conflict.winnerCommitTimestamp() <= conflict.startTimestamp();
      // The other one has read, or has not committed.
      case LATE, HELD -> false;
    };
  }

  /** Returns one word for the cause. */
  static String cause(Exception thrown) {
    return thrown instanceof LamponeException known
        ? known.code().name()
        : thrown.getClass().getSimpleName();
  }

  private static String id(CommitOutcomeUnknownException open) {
    return open.transactionId()
        .map(Object::toString)
        .orElseGet(() -> OutcomeIds.FAST + open.operations().get(0));
  }
}
