package io.lampone.protocol.request;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.trust.IssueProof;
import java.util.List;

/**
 * Writes of the fast path (protocol page, section 8): committed, or not, when the reply comes.
 * Answered with a {@link FastReply}.
 *
 * @param floor the smallest start timestamp still admissible, as far as the sender was ever told; 0
 *     = never
 * @param mark the session's mark
 * @param atomic whether all rows are changed or none; else each row is an operation of its own
 * @param operations ascending by row, each row once
 * @param issued shows that the mark has been issued, if the server does not know
 */
public record FastWrite(
    long floor, long mark, boolean atomic, List<FastOperation> operations, IssueProof issued)
    implements RegionRequest {

  /** One whose mark is known to have been issued. */
  public FastWrite(long floor, long mark, boolean atomic, List<FastOperation> operations) {
    this(floor, mark, atomic, operations, IssueProof.NONE);
  }

  public FastWrite {
    operations = List.copyOf(operations);
  }

  /** No transaction: 0. */
  @Override
  public long startTimestamp() {
    return 0;
  }

  @Override
  public List<Bytes> rows() {
    if (operations.size() == 1) {
      return List.of(operations.get(0).row()); // nearly every request, and asked for often
    }
    return operations.stream().map(FastOperation::row).toList();
  }
}
