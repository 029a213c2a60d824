package io.lampone.coprocessor;

import io.lampone.coprocessor.core.IntentRules;
import io.lampone.coprocessor.core.RowDecision;
import io.lampone.coprocessor.core.StateRules;
import io.lampone.coprocessor.core.StoredRow;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.RegionReply;
import io.lampone.protocol.RegionReply.Outcome;
import io.lampone.protocol.RegionRequest;
import io.lampone.protocol.RegionRequest.AbortLeader;
import io.lampone.protocol.RegionRequest.CommitLeader;
import io.lampone.protocol.RegionRequest.FinishLeader;
import io.lampone.protocol.RegionRequest.Flush;
import io.lampone.protocol.RegionRequest.Heal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A request about write intents or transaction cells while it is being carried out. */
final class RequestBatch extends LockedRequest {

  private final RegionRequest request;
  private final TableSettings settings;
  private final OpenRegion open;

  /** Filled under the row locks, by the thread that runs the request. */
  private final List<Outcome> outcomes = new ArrayList<>();

  RequestBatch(RegionRequest request, TableSettings settings, OpenRegion open) {
    super(open, request.rows());
    this.request = request;
    this.settings = settings;
    this.open = open;
  }

  @Override
  void decide() throws IOException {
    requireAdmissible();
    List<RowDecision> decisions = new ArrayList<>();
    for (int i = 0; i < request.rows().size(); i++) {
      decisions.add(decide(i, open.row(request.rows().get(i))));
    }
    for (int i = 0; i < decisions.size(); i++) {
      outcomes.add(decisions.get(i).outcome());
      fill(i, decisions.get(i).writes());
    }
  }

  /**
   * Checks again what may have changed while the intents were on their way into view: a reader of a
   * newer floor that did not see them relies on their being refused [M1].
   */
  void requireStillAdmissible() {
    if (request instanceof Flush flush) {
      open.fence().requireAboveFloor(flush.startTimestamp(), settings.floor());
    }
  }

  RegionReply reply() {
    return new RegionReply(outcomes);
  }

  private void requireAdmissible() {
    if (request instanceof Flush flush) {
      open.fence().requireAboveSafePoint(flush.startTimestamp());
      open.fence().requireAboveFloor(flush.startTimestamp(), settings.floor());
    }
  }

  private RowDecision decide(int index, StoredRow row) throws IOException {
    // Whatever is decided may leave a transaction cell here.
    open.fast().settled().forget(row.key());
    StateRules states = new StateRules(open.clock());
    if (request instanceof Flush flush) {
      return new IntentRules(settings.level(), settings.floor(), open.recent())
          .decide(flush, flush.intents().get(index), row);
    }
    if (request instanceof CommitLeader commit) {
      return states.commit(commit, row);
    }
    if (request instanceof AbortLeader abort) {
      return states.abort(abort, row, open.fence().safePoint());
    }
    return request instanceof FinishLeader finish
        ? states.finish(finish, row)
        : states.heal((Heal) request, row);
  }
}
