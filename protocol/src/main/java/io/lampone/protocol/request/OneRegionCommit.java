package io.lampone.protocol.request;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.IssueProof;
import java.util.List;

/**
 * Commits a regular transaction whose entire write set lies in one region and that has flushed no
 * intent (protocol page, section 8). Answered with a {@link FastReply}: COMMITTED or APPLIED_BEFORE
 * on every row, with the commit timestamp; or CONFLICT or BUSY on some row, and then nothing was
 * written. Its {@link OperationId} is {@link OperationId#ofTransaction}.
 *
 * @param mark the session's mark
 * @param level the table's conflict level as known to the sender; a different one is refused
 * @param repeated whether the request was sent before with unknown outcome
 * @param intents the write set, ascending by row: every cell in slot 0, each column once, no
 *     rolled-back slots, no followers; a put under a family delete is the later one
 * @param grant grant of the transaction's owner
 * @param issued proves that the mark has been issued, if the server does not know
 */
public record OneRegionCommit(
    long startTimestamp,
    long floor,
    long mark,
    ConflictLevel level,
    boolean repeated,
    List<RowIntents> intents,
    Grant grant,
    IssueProof issued)
    implements RegionRequest {

  /** Creates a request whose mark the server knows to have been issued. */
  public OneRegionCommit(
      long startTimestamp,
      long floor,
      long mark,
      ConflictLevel level,
      boolean repeated,
      List<RowIntents> intents,
      Grant grant) {
    this(startTimestamp, floor, mark, level, repeated, intents, grant, IssueProof.NONE);
  }

  public OneRegionCommit {
    intents = List.copyOf(intents);
  }

  /**
   * Returns this request for a retry after an attempt with unknown outcome.
   *
   * @param newMark the current mark of its session
   * @param shown proves that the mark has been issued
   */
  public OneRegionCommit again(long newMark, IssueProof shown) {
    return new OneRegionCommit(startTimestamp, floor, newMark, level, true, intents, grant, shown);
  }

  @Override
  public List<Bytes> rows() {
    return intents.stream().map(RowIntents::row).toList();
  }
}
