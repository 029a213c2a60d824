package io.lampone.client.core;

import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.client.core.failure.AbsentLeaderException;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.core.range.ScannedRange;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.CertifyRequest;
import io.lampone.protocol.request.CertifyScan;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Tag;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The store that holds intents and commit entries, as the client's decisions see it: a port. Every
 * call is one attempt in the eyes of the caller, however often the implementation sends it; all are
 * idempotent.
 *
 * <p>Steps fail with {@link StoreRefusedException} when a server said no (that request changed
 * nothing), and with {@link StoreUnavailableException} when nobody can say whether it was applied.
 *
 * <p>A table that does not exist holds nothing: leaders there are absent, and followers there need
 * not be told anything. A table that is disabled, or cannot be reached, is no such table.
 */
public interface TransactionStore {

  /**
   * Puts intents, in parallel, one round trip per server. Completes when every one is acknowledged.
   * Fails only after all parts have ended; some of them may be in place then.
   */
  Step<Void> flush(FlushBatch batch);

  /**
   * The commit point: the leader's cell from PENDING to COMMITTED.
   *
   * @param pass the transaction manager's statement that it has validated the transaction
   */
  Step<Outcome> commitLeader(TransactionId id, long floor, long commitTimestamp, Tag pass);

  /**
   * The leader's cell from PENDING (or, if asked for, from absence) to ABORTED. Fails with {@link
   * AbsentLeaderException} if it is asked for and there is no table in which to put it. Without a
   * proof it stays as it is while the transaction may be at work.
   *
   * @param proof the owner's grant, or the transaction manager's statement
   */
  Step<Outcome> abortLeader(TransactionId id, long floor, boolean plantOnAbsence, Proof proof);

  /**
   * The leader's cell from COMMITTED to FINAL.
   *
   * @param proof the owner's grant, or a region server's statement
   */
  Step<Outcome> finishLeader(TransactionId id, long floor, long commitTimestamp, Proof proof);

  /** Writes the fate of a leader, as that has told it, onto its followers. */
  Step<Void> heal(TransactionId id, long floor, Collection<RowFamily> followers, Fate fate);

  /**
   * Has the region server of a place where an intent was met find out its fate, and write it there:
   * for clients that may not ask or change its leader, and where that is absent for good. Completes
   * when the place holds no undecided intent of that transaction.
   *
   * @param intent of which column this client may read
   * @return what the place holds then; absent if there is no such intent any more
   */
  Step<Outcome> resolve(Intent intent, long floor);

  /**
   * The work after the commits of several transactions: writes the fate of {@code committed} onto
   * their followers, and takes the leaders of {@code healed} from COMMITTED to FINAL. Completes
   * when all of it is done; if any of it fails, nobody can say what was done.
   */
  default Step<Void> settle(List<Settling> committed, List<Settling> healed) {
    List<Step<Object>> parts = new ArrayList<>();
    for (Settling one : committed) {
      parts.add(heal(one.id(), one.floor(), one.followers(), one.fate()).map(done -> one));
    }
    for (Settling one : healed) {
      parts.add(
          finishLeader(one.id(), one.floor(), one.commitTimestamp(), one.grant())
              .map(leader -> one));
    }
    return Step.all(parts).then(all -> Step.done());
  }

  /** Returns the present states of the leaders; one round trip per server. */
  Step<Map<TransactionId, Outcome>> readLeaders(Collection<TransactionId> ids, long floor);

  /**
   * Asks the regions of rows that were read whether a version that is committed at birth lies
   * between the snapshot and the commit timestamp. Completes when all have said that there is none,
   * or one has told of one.
   *
   * @return a change that was found; empty if there is none
   */
  Step<Optional<Changed>> certify(Certification wanted);

  /**
   * Asks the regions of a range whether another transaction has committed something in it between
   * the snapshot and the commit timestamp, in any way. Completes when all have looked, or at a
   * change, or with the first intents of which only their leaders tell.
   */
  Step<RangeFindings> certify(RangeCertification wanted);

  /**
   * A certification of a range.
   *
   * @param at the timestamps; its points mean nothing
   * @param judgments of intents that this certification has met, for a reader at the commit
   *     timestamp
   */
  record RangeCertification(
      Certification at, ScannedRange range, Map<TransactionId, Fate> judgments) {
    public RangeCertification {
      judgments = Map.copyOf(judgments);
    }

    /** Returns the request that its scan carries. */
    public CertifyScan request() {
      return new CertifyScan(at.request(range.level()), judgments);
    }
  }

  /**
   * Findings in a range.
   *
   * @param changed a change; then nothing else counts
   * @param undecided intents that have to be resolved; if there are none, all was looked at
   * @param from the first row with such an intent: all before it is unchanged
   */
  record RangeFindings(Optional<Changed> changed, List<Intent> undecided, Bytes from) {

    /** All was looked at, and is unchanged. */
    public static final RangeFindings UNCHANGED =
        new RangeFindings(Optional.empty(), List.of(), Bytes.EMPTY);

    public RangeFindings {
      undecided = List.copyOf(undecided);
    }
  }

  /**
   * A certification of reads.
   *
   * @param floor as told at begin
   * @param pass shows that the commit timestamp has been issued to the transaction
   * @param points what was read
   * @param deadlineNanos on the monotonic clock: after it nothing is sent again
   */
  record Certification(
      long startTimestamp,
      long commitTimestamp,
      long floor,
      Tag pass,
      List<ReadSet.Point> points,
      long deadlineNanos) {
    public Certification {
      points = List.copyOf(points);
    }

    /** The request for a row of a table with this level. */
    public CertifyRequest request(ConflictLevel level) {
      return new CertifyRequest(
          startTimestamp,
          commitTimestamp,
          floor,
          level,
          new IssueProof.Passed(startTimestamp, commitTimestamp, pass));
    }
  }

  /** A row that was read was changed at a commit timestamp. */
  record Changed(RowFamily place, long commitTimestamp) {}

  /**
   * One flush.
   *
   * @param id the transaction and its leader
   * @param floor as told at begin
   * @param flushNumber above all earlier ones of this transaction
   * @param tables what is written, by table
   * @param grant of the transaction
   */
  record FlushBatch(
      TransactionId id,
      long floor,
      long flushNumber,
      Map<String, TableIntents> tables,
      Grant grant) {}

  /**
   * Intents that a flush writes into one table.
   *
   * @param level the table's conflict level as the client knows it
   * @param rows ascending by row
   */
  record TableIntents(ConflictLevel level, List<RowIntents> rows) {}

  /**
   * A committed transaction of which something is left to do.
   *
   * @param floor as told at its begin
   * @param followers every transaction cell but the leader's
   * @param grant of the transaction
   */
  record Settling(
      TransactionId id, long floor, Collection<RowFamily> followers, Fate fate, Grant grant) {
    public Settling {
      followers = List.copyOf(followers);
    }

    long commitTimestamp() {
      return fate.commitTimestamp();
    }
  }
}
