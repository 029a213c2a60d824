package io.lampone.coprocessor;

import io.lampone.coprocessor.core.CellWrite;
import io.lampone.coprocessor.core.IntentRules;
import io.lampone.coprocessor.core.RowDecision;
import io.lampone.coprocessor.core.StateRules;
import io.lampone.coprocessor.core.StoredRow;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
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
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Mutation;

/**
 * One region request while it is being carried out. It goes into HBase's write path as one empty
 * mutation for each row, because a row is locked by a mutation; the cells are added when all rows
 * are locked and every rule has agreed. A row that stays as it is keeps its empty mutation: HBase
 * appends nothing to its log for it and changes no store.
 */
final class RequestBatch {

  private final RegionRequest request;
  private final TableSettings settings;
  private final OpenRegion open;
  private final List<Mutation> mutations = new ArrayList<>();
  private final List<byte[]> rows = new ArrayList<>();

  /** Filled under the row locks, by the thread that runs the request. */
  private final List<Outcome> outcomes = new ArrayList<>();

  RequestBatch(RegionRequest request, TableSettings settings, OpenRegion open) {
    this.request = request;
    this.settings = settings;
    this.open = open;
    Durability durability = durability(open);
    for (Bytes row : request.rows()) {
      mutations.add(new RequestPut(row.unsafeArray(), this, rows.size(), durability));
      rows.add(row.unsafeArray());
    }
  }

  List<Mutation> mutations() {
    return mutations;
  }

  /** The rows to lock, in the one order in which everybody locks rows. */
  List<byte[]> rows() {
    return rows;
  }

  /** Decides about all rows and fills their mutations; called once, under all row locks. */
  void decide() throws IOException {
    requireAdmissible();
    List<RowDecision> decisions = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      decisions.add(decide(i, open.row(request.rows().get(i))));
    }
    for (int i = 0; i < decisions.size(); i++) {
      outcomes.add(decisions.get(i).outcome());
      fill(mutations.get(i), decisions.get(i).writes());
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
    StateRules states = new StateRules(open.clock());
    if (request instanceof Flush flush) {
      return new IntentRules(settings.level(), settings.floor())
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

  private static void fill(Mutation mutation, List<CellWrite> writes) {
    for (CellWrite write : writes) {
      List<Cell> cells =
          mutation
              .getFamilyCellMap()
              .computeIfAbsent(write.family().unsafeArray(), family -> new ArrayList<>());
      cells.add(
          new KeyValue(
              mutation.getRow(),
              write.family().unsafeArray(),
              write.qualifier().unsafeArray(),
              write.version(),
              write.value().unsafeArray()));
    }
  }

  /** The table's own, unless that would acknowledge what a crash can lose. */
  private static Durability durability(OpenRegion open) {
    return switch (open.region().getTableDescriptor().getDurability()) {
      case SKIP_WAL, ASYNC_WAL -> Durability.SYNC_WAL;
      default -> Durability.USE_DEFAULT;
    };
  }
}
