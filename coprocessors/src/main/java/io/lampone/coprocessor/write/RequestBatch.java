package io.lampone.coprocessor.write;

import io.lampone.coprocessor.OpenRegion;
import io.lampone.coprocessor.Permissions;
import io.lampone.coprocessor.core.intent.CellWrite;
import io.lampone.coprocessor.core.intent.RegularWrite;
import io.lampone.coprocessor.core.intent.RowDecision;
import io.lampone.coprocessor.row.HBaseRow;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.request.RegionReply;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.trust.Proof;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.jspecify.annotations.Nullable;

/** Execution of a request about write intents or transaction cells. */
final class RequestBatch extends LockedRequest {

  private final RegionRequest request;
  private final RegularWrite write;
  private final OpenRegion open;

  /** Filled under the row locks, by the thread that runs the request. */
  private final List<Outcome> outcomes = new ArrayList<>();

  /** Families that may be changed; null for all. */
  private final @Nullable Set<Bytes> changeable;

  RequestBatch(RegionRequest request, RegularWrite write, OpenRegion open, Permissions permissions)
      throws IOException {
    super(open, request, request.rows(), permissions);
    this.changeable = isUnproved(request) ? permissions.changeable(this, first()) : null;
    this.request = request;
    this.write = write;
    this.open = open;
  }

  /**
   * Returns true for an abort without a proof. A flush names the columns that it writes; other
   * requests show a statement, which is true whichever client sends it.
   */
  private static boolean isUnproved(RegionRequest request) {
    return request instanceof AbortLeader abort && abort.proof() == Proof.NONE;
  }

  @Override
  public void decide() throws IOException {
    List<HBaseRow> rows = new ArrayList<>();
    for (Bytes key : request.rows()) {
      rows.add(open.row(key, HBaseRow.STORED));
    }
    List<RowDecision> decisions = write.decide(rows);
    try {
      for (RowDecision decision : decisions) {
        requireChangeable(decision.writes());
      }
    } catch (AccessDeniedException e) {
      write.withdrawn(); // otherwise any client could make the region forget what it knows
      throw e;
    }
    for (int i = 0; i < decisions.size(); i++) {
      outcomes.add(decisions.get(i).outcome());
      fill(i, decisions.get(i).writes());
    }
  }

  private void requireChangeable(List<CellWrite> writes) throws AccessDeniedException {
    if (changeable == null) {
      return;
    }
    for (CellWrite write : writes) {
      if (!changeable.contains(write.family())) {
        throw new AccessDeniedException(
            "Insufficient permissions: the transaction has written to a family which the sender may"
                + " not write, family="
                + write.family());
      }
    }
  }

  @Override
  public void applied() {
    write.applied();
  }

  RegionReply reply() {
    return new RegionReply(outcomes);
  }
}
