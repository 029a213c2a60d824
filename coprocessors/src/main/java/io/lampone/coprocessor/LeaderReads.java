package io.lampone.coprocessor;

import io.lampone.coprocessor.core.StateRules;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.LeaderReadRequest;
import io.lampone.protocol.RegionReply;
import io.lampone.protocol.RegionReply.Outcome;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.regionserver.Region;

/**
 * Tells one transaction's state on its leader (protocol page, section 5). It is fenced like any
 * read: "absent" means "will never be there" only because from now on a leader that belongs to an
 * older floor is refused [M3].
 */
final class LeaderReads {

  private final OpenRegion open;

  LeaderReads(OpenRegion open) {
    this.open = open;
  }

  Cell answer(Get get, LeaderReadRequest request) throws IOException {
    open.requireTransactional();
    Permissions.requireUnfiltered(get);
    open.fence().requireKnown(request.floor());
    open.fence().requirePossible(request.startTimestamp());
    Region region = open.region();
    Outcome outcome;
    region.startRegionOperation();
    try {
      HBaseRow row = open.row(Bytes.of(get.getRow()), HBaseRow.VISIBLE);
      outcome = StateRules.leader(request.family(), request.startTimestamp(), row);
    } finally {
      region.closeRegionOperation();
    }
    open.requireSession();
    return Carrier.proofCell(get.getRow(), new RegionReply(List.of(outcome)).encode());
  }
}
