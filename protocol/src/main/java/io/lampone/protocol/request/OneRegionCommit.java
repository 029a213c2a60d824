package io.lampone.protocol.request;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.IssueProof;
import java.util.List;
import java.util.TreeSet;

/**
 * Commits a regular transaction whose entire write set lies in one region and that has flushed no
 * intent (protocol page, section 8). Answered with a {@link FastReply}: COMMITTED or APPLIED_BEFORE
 * on every row, with the commit timestamp; or another outcome on some row, and then nothing was
 * written: CONFLICT and BUSY because of what is to be written, NOT_APPLIED because something that
 * was read may have changed. In the last case outcomes of the rows that were read may follow, of
 * which the last one is CONFLICT if that row was changed. Its {@link OperationId} is {@link
 * OperationId#ofTransaction}.
 *
 * @param mark the session's mark
 * @param level the table's conflict level as known to the sender; a different one is refused
 * @param repeated whether the request was sent before with unknown outcome
 * @param intents the write set, ascending by row: every cell in slot 0, each column once, no
 *     rolled-back slots, no followers; a put under a family delete is the later one
 * @param grant grant of the transaction's owner
 * @param issued proves that the mark has been issued, if the server does not know
 * @param reads rows of the same region that a serializable transaction has read, ascending: it
 *     commits only if they are unchanged between its snapshot and its commit timestamp; none if
 *     {@code knownSchema} is not 0
 * @param knownSchema as of a {@link RegionRequest.Flush}
 */
public record OneRegionCommit(
    long startTimestamp,
    long floor,
    long mark,
    ConflictLevel level,
    boolean repeated,
    List<RowIntents> intents,
    Grant grant,
    IssueProof issued,
    List<RowRead> reads,
    long knownSchema)
    implements RegionRequest {

  /**
   * A row that was read.
   *
   * @param scope families and columns that were read, at least one; at level ROW the whole row
   *     counts
   */
  public record RowRead(Bytes row, List<Place> scope) {
    public RowRead {
      scope = List.copyOf(scope);
      if (scope.isEmpty()) {
        throw new MalformedException("a read names no columns, row=" + row);
      }
    }
  }

  /** Creates a request without reads whose mark the server knows to have been issued. */
  public OneRegionCommit(
      long startTimestamp,
      long floor,
      long mark,
      ConflictLevel level,
      boolean repeated,
      List<RowIntents> intents,
      Grant grant) {
    this(
        startTimestamp,
        floor,
        mark,
        level,
        repeated,
        intents,
        grant,
        IssueProof.NONE,
        List.of(),
        0);
  }

  public OneRegionCommit {
    intents = List.copyOf(intents);
    reads = List.copyOf(reads);
    if (knownSchema != 0 && !reads.isEmpty()) {
      throw new MalformedException("reads of a table with indexes cannot be certified");
    }
  }

  /**
   * Returns this request for a retry after an attempt with unknown outcome.
   *
   * @param newMark the current mark of its session
   * @param shown proves that the mark has been issued
   */
  public OneRegionCommit again(long newMark, IssueProof shown) {
    return new OneRegionCommit(
        startTimestamp, floor, newMark, level, true, intents, grant, shown, reads, knownSchema);
  }

  /** Returns this request with other reads. */
  public OneRegionCommit withReads(List<RowRead> others) {
    return new OneRegionCommit(
        startTimestamp, floor, mark, level, repeated, intents, grant, issued, others, knownSchema);
  }

  /** Returns the rows that are written or were read, ascending, each once. */
  public List<Bytes> rowsOfRegion() {
    if (reads.isEmpty()) {
      return rows();
    }
    TreeSet<Bytes> rows = new TreeSet<>(rows());
    reads.forEach(read -> rows.add(read.row()));
    return List.copyOf(rows);
  }

  @Override
  public List<Bytes> rows() {
    return intents.stream().map(RowIntents::row).toList();
  }
}
