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
 * Port of the client's cores to the store of intents and commit entries. Every call is one attempt
 * from the caller's view, however often the implementation sends it; all are idempotent.
 *
 * <p>Steps fail with {@link StoreRefusedException} if a server refused the request, which then
 * changed nothing, and with {@link StoreUnavailableException} if it is unknown whether it was
 * applied.
 *
 * <p>A table that does not exist is empty: leaders there are absent, and followers there need no
 * healing. A disabled or unreachable table is not such a table.
 */
public interface TransactionStore {

  /**
   * Puts intents, in parallel, one round trip per server. Completes when every one is acknowledged.
   * Fails only after all parts have ended; some of them may be in place then.
   */
  Step<Void> flush(FlushBatch batch);

  /**
   * Executes the commit point: the leader's cell from PENDING to COMMITTED.
   *
   * @param pass the transaction manager's statement that it has validated the transaction
   */
  Step<Outcome> commitLeader(TransactionId id, long floor, long commitTimestamp, Tag pass);

  /**
   * Changes the leader's cell from PENDING (or, on request, from absence) to ABORTED. Fails with
   * {@link AbsentLeaderException} if absence should be replaced and the table does not exist.
   * Without a proof the cell stays as it is while the transaction may be active.
   *
   * @param proof the owner's grant, or the transaction manager's statement
   */
  Step<Outcome> abortLeader(TransactionId id, long floor, boolean plantOnAbsence, Proof proof);

  /**
   * Changes the leader's cell from COMMITTED to FINAL.
   *
   * @param proof the owner's grant, or a region server's statement
   */
  Step<Outcome> finishLeader(TransactionId id, long floor, long commitTimestamp, Proof proof);

  /** Writes the fate of a leader, as the leader has reported it, onto its followers. */
  Step<Void> heal(TransactionId id, long floor, Collection<RowFamily> followers, Fate fate);

  /**
   * Requests the region server of an intent's place to determine its fate and write it there: for
   * clients that may not read or change its leader, and for leaders that are absent for good.
   * Completes when the place contains no undecided intent of that transaction.
   *
   * @param intent names a column that this client may read
   * @return state of the place then; absent if there is no such intent any more
   */
  Step<Outcome> resolve(Intent intent, long floor);

  /**
   * Does the post-commit work of several transactions: writes the fate of {@code committed} onto
   * their followers, and changes the leaders of {@code healed} from COMMITTED to FINAL. Completes
   * when all of it is done; after a failure it is unknown which parts were done.
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
   * Checks at the regions of read rows whether an autocommitted version lies between the snapshot
   * and the commit timestamp. Completes when all have reported none, or one has reported one.
   *
   * @return a change that was found; empty if there is none
   */
  Step<Optional<Changed>> certify(Certification wanted);

  /**
   * Checks at the regions of a range whether another transaction has committed a change in it
   * between the snapshot and the commit timestamp, in any way. Completes when all regions are done,
   * or at a change, or with the first intents whose fate only their leaders know.
   */
  Step<RangeFindings> certify(RangeCertification wanted);

  /**
   * Certification of a range.
   *
   * @param at the timestamps; its points are unused
   * @param judgments judgments of intents that this certification has met, for a reader at the
   *     commit timestamp
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
   * @param changed a change; the other fields are then unused
   * @param undecided intents that must be resolved; if there are none, the range is complete
   * @param from the first row with such an intent: all before it is unchanged
   */
  record RangeFindings(Optional<Changed> changed, List<Intent> undecided, Bytes from) {

    /** Complete and unchanged range. */
    public static final RangeFindings UNCHANGED =
        new RangeFindings(Optional.empty(), List.of(), Bytes.EMPTY);

    public RangeFindings {
      undecided = List.copyOf(undecided);
    }
  }

  /**
   * Certification of reads.
   *
   * @param floor floor received at the begin
   * @param pass proof that the commit timestamp has been issued to the transaction
   * @param points reads to certify
   * @param deadlineNanos on the monotonic clock: nothing is sent again after it
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

    /** Returns the request for a row of a table with this level. */
    public CertifyRequest request(ConflictLevel level) {
      return new CertifyRequest(
          startTimestamp,
          commitTimestamp,
          floor,
          level,
          new IssueProof.Passed(startTimestamp, commitTimestamp, pass));
    }
  }

  /** Read row that was changed, with the commit timestamp of the change. */
  record Changed(RowFamily place, long commitTimestamp) {}

  /**
   * Batch of one flush.
   *
   * @param id the transaction and its leader
   * @param floor floor received at the begin
   * @param flushNumber above all earlier ones of this transaction
   * @param tables intents by table
   * @param grant grant of the transaction
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
   * @param level the client's knowledge of the table's conflict level
   * @param rows ascending by row
   * @param knownSchema as of a {@link io.lampone.protocol.request.RegionRequest.Flush}
   */
  record TableIntents(ConflictLevel level, List<RowIntents> rows, long knownSchema) {}

  /**
   * Committed transaction with pending post-commit work.
   *
   * @param floor floor received at its begin
   * @param followers every transaction cell but the leader's
   * @param grant grant of the transaction
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
