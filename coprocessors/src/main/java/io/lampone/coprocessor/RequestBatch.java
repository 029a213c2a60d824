package io.lampone.coprocessor;

import io.lampone.coprocessor.core.RegularWrite;
import io.lampone.coprocessor.core.RowDecision;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RegionReply;
import io.lampone.protocol.RegionReply.Outcome;
import io.lampone.protocol.RegionRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A request about write intents or transaction cells while it is being carried out. */
final class RequestBatch extends LockedRequest {

  private final RegionRequest request;
  private final RegularWrite write;
  private final OpenRegion open;

  /** Filled under the row locks, by the thread that runs the request. */
  private final List<Outcome> outcomes = new ArrayList<>();

  RequestBatch(RegionRequest request, RegularWrite write, OpenRegion open) {
    super(open, request.rows());
    this.request = request;
    this.write = write;
    this.open = open;
  }

  @Override
  void decide() throws IOException {
    List<HBaseRow> rows = new ArrayList<>();
    for (Bytes key : request.rows()) {
      rows.add(open.row(key, HBaseRow.STORED));
    }
    List<RowDecision> decisions = write.decide(rows);
    for (int i = 0; i < decisions.size(); i++) {
      outcomes.add(decisions.get(i).outcome());
      fill(i, decisions.get(i).writes());
    }
  }

  @Override
  void applied() {
    write.applied();
  }

  RegionReply reply() {
    return new RegionReply(outcomes);
  }
}
