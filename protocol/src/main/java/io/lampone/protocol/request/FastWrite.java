package io.lampone.protocol.request;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.trust.IssueProof;
import java.util.List;

/**
 * Writes of the fast path (protocol page, section 8): their outcome is decided when the reply
 * arrives. Answered with a {@link FastReply}.
 *
 * @param floor the smallest admissible start timestamp known to the sender; 0 = unknown
 * @param mark the session's mark
 * @param atomic whether all rows are changed or none; else each row is a separate operation
 * @param operations ascending by row, each row once
 * @param issued proves that the mark has been issued, if the server does not know
 */
public record FastWrite(
    long floor, long mark, boolean atomic, List<FastOperation> operations, IssueProof issued)
    implements RegionRequest {

  /** Creates a request whose mark the server knows to have been issued. */
  public FastWrite(long floor, long mark, boolean atomic, List<FastOperation> operations) {
    this(floor, mark, atomic, operations, IssueProof.NONE);
  }

  public FastWrite {
    operations = List.copyOf(operations);
  }

  /** Returns 0: there is no transaction. */
  @Override
  public long startTimestamp() {
    return 0;
  }

  @Override
  public List<Bytes> rows() {
    if (operations.size() == 1) {
      return List.of(operations.get(0).row()); // the common case, called often
    }
    return operations.stream().map(FastOperation::row).toList();
  }
}
