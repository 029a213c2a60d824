package io.lampone.protocol.request;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Proof;
import java.util.List;

/**
 * Determines, finally, whether an operation was applied (protocol page, section 8): after the
 * answer "not applied", an attempt that is still on its way will be refused. Answered with a {@link
 * FastReply} of one outcome: APPLIED_BEFORE with the version, or NOT_APPLIED with the safe point
 * known to the server. An operation older than that safe point may have been applied nevertheless:
 * its cells may have been collected.
 *
 * <p>A look-up prevents what has not been applied. For a transaction it therefore needs the owner's
 * grant; without the grant it is answered if the transaction was applied, and refused otherwise
 * unless the transaction is older than the safe point.
 *
 * @param floor the smallest admissible start timestamp known to the sender; 0 = unknown
 * @param row a row into which the operation wrote cells
 * @param id the operation
 * @param above lower bound, exclusive, of its version if it has one: the mark of its first attempt,
 *     or the start timestamp of the transaction
 * @param proof for a transaction, the owner's grant
 */
public record OperationLookup(long floor, Bytes row, OperationId id, long above, Proof proof)
    implements RegionRequest {

  /** Returns true if it carries a proof, right or wrong. */
  public boolean isProved() {
    return proof instanceof Grant;
  }

  /** Returns the start timestamp of a transaction, 0 for other operations. */
  @Override
  public long startTimestamp() {
    return id.isTransaction() ? id.counter() : 0;
  }

  @Override
  public List<Bytes> rows() {
    return List.of(row);
  }
}
