package io.lampone.protocol.request;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Proof;
import java.util.List;

/**
 * Finds out, for good, whether an operation was applied (protocol page, section 8): whoever is told
 * that it was not may rely on it, because an attempt that is still on its way will be refused.
 * Answered with a {@link FastReply} of one outcome: APPLIED_BEFORE with the version, or NOT_APPLIED
 * with the safe point that the server knows. An operation older than that safe point may have been
 * applied all the same: its cells may have been collected.
 *
 * <p>It ends what was not applied. So of a transaction it shows the owner's grant; without one it
 * tells what was applied, and is refused otherwise unless the transaction is that old.
 *
 * @param floor the smallest start timestamp still admissible, as far as the sender was ever told; 0
 *     = never
 * @param row a row that the operation wrote cells into
 * @param id the operation
 * @param above its version, if it has one, is above this: the mark of its first attempt, or the
 *     start timestamp of the transaction
 * @param proof the owner's grant, of a transaction
 */
public record OperationLookup(long floor, Bytes row, OperationId id, long above, Proof proof)
    implements RegionRequest {

  /** Returns true if it shows a proof, which may be wrong. */
  public boolean isProved() {
    return proof instanceof Grant;
  }

  /** Of a transaction its start timestamp, else 0. */
  @Override
  public long startTimestamp() {
    return id.isTransaction() ? id.counter() : 0;
  }

  @Override
  public List<Bytes> rows() {
    return List.of(row);
  }
}
