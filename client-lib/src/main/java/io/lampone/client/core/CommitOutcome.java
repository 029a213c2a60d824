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
   * Committed; 0 as commit timestamp if it had written nothing.
   *
   * @param fate the commit timestamp, and the statement of it that followers want
   * @param issued shows that the commit timestamp has been issued, if the client was told so
   */
  record Committed(Fate fate, IssueProof issued) implements CommitOutcome {

    /** Outcome without a statement: nothing elsewhere depends on it. */
    public Committed(long commitTimestamp) {
      this(new Fate(commitTimestamp, Tag.NONE), IssueProof.NONE);
    }

    public long commitTimestamp() {
      return fate.commitTimestamp();
    }
  }

  /**
   * Left no trace: another transaction wrote the same, or what was read, and committed first.
   *
   * @param range that was read; empty if it was a row
   */
  record Conflict(RowFamily place, long winnerCommitTimestamp, Kind kind, Optional<RowRange> range)
      implements CommitOutcome {

    /** Conflict about a row. */
    public Conflict(RowFamily place, long winnerCommitTimestamp, Kind kind) {
      this(place, winnerCommitTimestamp, kind, Optional.empty());
    }

    /** Both wrote. */
    public Conflict(RowFamily place, long winnerCommitTimestamp) {
      this(place, winnerCommitTimestamp, Kind.WRITE_WRITE);
    }
  }

  /** Left no trace: a region server refused its intents for good. */
  record Refused(String table, Refusal refusal) implements CommitOutcome {}

  /** Left no trace, for another reason. */
  record Aborted(String why, @Nullable Throwable cause) implements CommitOutcome {}

  /** Committed or aborted; nobody could say. */
  record Unknown(TransactionId id, String why, @Nullable Throwable cause)
      implements CommitOutcome {}

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
    return new Aborted("intents could not be written", cause);
  }
}
