package io.lampone.coprocessor;

import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.StateRules;
import io.lampone.coprocessor.healer.Resolver;
import io.lampone.coprocessor.row.HBaseRow;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.request.LeaderReadRequest;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionReply;
import io.lampone.protocol.request.RegionReply.Outcome;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.security.AccessDeniedException;

/**
 * Reads of a transaction's state on its leader (protocol page, section 5), fenced like any read: an
 * absent leader stays absent, because from now on a leader below the floor is refused [M3].
 */
final class LeaderReads {

  private final OpenRegion open;

  LeaderReads(OpenRegion open) {
    this.open = open;
  }

  Cell answer(Get get, LeaderReadRequest request) throws IOException {
    HBaseRow row = admit(get, request);
    // Authorizers have checked the families of the Get.
    if (get.hasFamilies() && !get.getFamilyMap().containsKey(request.family().unsafeArray())) {
      throw new AccessDeniedException(
          "the Get names other families than the read of the leader, family=" + request.family());
    }
    long start = request.startTimestamp();
    return reply(
        get, inRegion(() -> StateRules.leader(request.family(), start, row, open.guards())));
  }

  /**
   * Returns the state of a transaction whose intent a reader has met in a row. While it is
   * undecided, submits it to the resolver and answers NOT_READY: no handler waits.
   */
  Cell resolve(Get get, LeaderReadRequest request) throws IOException {
    HBaseRow row = admit(get, request);
    long start = request.startTimestamp();
    StateRules.Met met = inRegion(() -> StateRules.met(start, row, open.guards()));
    if (met.undecided().isPresent()) {
      RowFamily place = new RowFamily(open.table(), row.key(), met.family());
      String user = RpcServer.getRequestUserName().orElse("");
      throw undecided(
          open.server().healer().resolver().ask(user, met.undecided().get(), place), start);
    }
    return reply(get, met.outcome());
  }

  /** Returns the refusal; it names no leader, because the reader may have no right on its table. */
  private static Refused undecided(Resolver.Answer answer, long start) {
    return switch (answer) {
      case WAITS ->
          Refused.because(
              Refusal.Code.NOT_READY,
              "the fate of the transaction is being found out, start=" + start);
      case FULL ->
          Refused.because(
              Refusal.Code.NOT_READY,
              "too many readers wait for the fates of transactions, start=" + start);
      case CORRUPT ->
          Refused.because(
              Refusal.Code.CORRUPT,
              "the commit entry of the transaction cannot be believed, so its fate is not known; an"
                  + " administrator ends it by lampone doctor, start="
                  + start);
    };
  }

  private HBaseRow admit(Get get, LeaderReadRequest request) throws IOException {
    open.requireTransactional();
    Permissions.requireUnfiltered(get);
    open.fence().requireKnown(request.floor());
    open.fence().requirePossible(request.startTimestamp());
    return open.row(Bytes.of(get.getRow()), HBaseRow.VISIBLE);
  }

  /** Body of a region operation. */
  private interface Look<T> {
    T take() throws IOException;
  }

  private <T> T inRegion(Look<T> look) throws IOException {
    Region region = open.region();
    region.startRegionOperation();
    try {
      return look.take();
    } finally {
      region.closeRegionOperation();
    }
  }

  private Cell reply(Get get, Outcome outcome) {
    open.requireSession();
    return Carrier.proofCell(get.getRow(), new RegionReply(List.of(outcome)).encode());
  }
}
