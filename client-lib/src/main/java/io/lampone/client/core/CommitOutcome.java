package io.lampone.client.core;

import io.lampone.client.ConflictException.Kind;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.range.RowRange;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Tag;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Outcome of a transaction. */
public sealed interface CommitOutcome {

  /**
   * Committed; 0 as commit timestamp if it had no writes.
   *
   * @param fate the commit timestamp, and the statement of it for followers
   * @param issued proof that the commit timestamp has been issued, if the client received one
   */
  record Committed(Fate fate, IssueProof issued) implements CommitOutcome {

    /** Outcome without a statement: no other cell depends on it. */
    public Committed(long commitTimestamp) {
      this(new Fate(commitTimestamp, Tag.NONE), IssueProof.NONE);
    }

    public long commitTimestamp() {
      return fate.commitTimestamp();
    }
  }

  /**
   * No effect: another transaction with the same write, or with a write to what was read, committed
   * first.
   *
   * @param range range that was read; empty if it was a row
   */
  record Conflict(RowFamily place, long winnerCommitTimestamp, Kind kind, Optional<RowRange> range)
      implements CommitOutcome {

    /** Conflict on a row. */
    public Conflict(RowFamily place, long winnerCommitTimestamp, Kind kind) {
      this(place, winnerCommitTimestamp, kind, Optional.empty());
    }

    /** Conflict of two writes. */
    public Conflict(RowFamily place, long winnerCommitTimestamp) {
      this(place, winnerCommitTimestamp, Kind.WRITE_WRITE);
    }
  }

  /** No effect: a region server refused its intents permanently. */
  record Refused(String table, Refusal refusal) implements CommitOutcome {}

  /** No effect, for another reason. */
  record Aborted(Reason reason, String why, @Nullable Throwable cause) implements CommitOutcome {

    /** Abort by the client itself. */
    public Aborted(String why, @Nullable Throwable cause) {
      this(Reason.OTHER, why, cause);
    }

    /** Reasons, for metrics. */
    public enum Reason {
      /** No answer from the transaction manager. */
      NO_VALIDATION,
      /** Refusal of the transaction manager. */
      NOT_VALIDATED,
      /** Reads could not be certified. */
      NOT_CERTIFIED,
      /** Intents could not be written. */
      NOT_FLUSHED,
      /** Abort by a reader, a failover, or HBase's administrator. */
      BY_OTHERS,
      /** Roll-back by the application. */
      ROLLED_BACK,
      /** Everything else. */
      OTHER
    }
  }

  /** Committed or aborted: the result is unknown. */
  record Unknown(TransactionId id, String why, @Nullable Throwable cause)
      implements CommitOutcome {}

  /**
   * Returns the outcome of a rollback.
   *
   * @param cause failure because of which the client has rolled back; null = by the application
   */
  static CommitOutcome rolledBack(@Nullable Throwable cause) {
    return new Aborted(Aborted.Reason.ROLLED_BACK, "rolled back", cause);
  }

  /** Returns the outcome of a transaction whose intents could not be written. */
  static CommitOutcome ofFailedFlush(Throwable cause) {
    if (cause instanceof StoreRefusedException refused) {
      Refusal refusal = refused.refusal();
      return refusal.code() == Refusal.Code.CONFLICT
          ? new Conflict(
              new RowFamily(refused.table(), refusal.row(), Bytes.EMPTY),
              refusal.winnerCommitTimestamp())
          : new Refused(refused.table(), refusal);
    }
    return new Aborted(Aborted.Reason.NOT_FLUSHED, "intents could not be written", cause);
  }
}
