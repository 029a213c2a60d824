package io.lampone.coprocessor.certify;

import io.lampone.coprocessor.OpenRegion;
import io.lampone.coprocessor.Permissions;
import io.lampone.coprocessor.SnapshotReads;
import io.lampone.coprocessor.core.fence.ReadAdmission;
import io.lampone.coprocessor.core.fence.TableGeneration;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.core.visibility.Certification;
import io.lampone.coprocessor.row.HBaseRow;
import io.lampone.coprocessor.write.RequestGuards;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.request.CertifyRequest;
import io.lampone.protocol.request.FastReadReply;
import java.io.IOException;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Get;

/**
 * Certifies reads of serializable transactions (protocol page, section 4). The Get names the
 * columns, and HBase's authorizers have checked it like any other.
 */
public final class CertifyHandler implements Certification.Row {

  private final OpenRegion open;
  private final SnapshotReads reads;
  private final Bytes key;

  public CertifyHandler(OpenRegion open, SnapshotReads reads, Get get) {
    this.open = open;
    this.reads = reads;
    this.key = Bytes.of(get.getRow());
  }

  /** Returns the cell that answers. */
  public Cell answer(Get get, CertifyRequest request) throws IOException {
    reads.requireSupported(get);
    new RequestGuards(open).requireCertifiable(request.level());
    Permissions.requireUnfiltered(get);
    open.region().startRegionOperation();
    try {
      CertifyRequest judged = request.by(reads.rules(request.level(), families()));
      long changed = new Certification(judged, read(get), this, open.guards()).changedAt();
      byte[] reply = new FastReadReply(request.commitTimestamp(), changed, 0).encode();
      return Carrier.proofCell(get.getRow(), reply);
    } finally {
      open.region().closeRegionOperation();
    }
  }

  private Set<byte[]> families() {
    return open.region().getTableDescriptor().getColumnFamilyNames();
  }

  private static Map<Bytes, Set<Bytes>> read(Get get) {
    Map<Bytes, Set<Bytes>> read = new TreeMap<>();
    for (Map.Entry<byte[], NavigableSet<byte[]>> family : get.getFamilyMap().entrySet()) {
      Set<Bytes> columns = new TreeSet<>();
      if (family.getValue() != null) {
        family.getValue().forEach(column -> columns.add(Bytes.of(column)));
      }
      read.put(Bytes.of(family.getKey()), columns);
    }
    return read;
  }

  @Override
  public void awaitWrites(long timestamp) {
    open.fast().inFlight().awaitRow(key, timestamp);
  }

  @Override
  public long bornAbove(long timestamp) {
    return open.recent().bornAbove(key, timestamp);
  }

  @Override
  public StoredRow stored() {
    return open.row(key, HBaseRow.VISIBLE);
  }

  @Override
  public void requireAboveFloor(long snapshot) {
    TableGeneration.require(snapshot, open.generation().floor());
    ReadAdmission.requireAboveFloor(snapshot, open.requireTransactional().floor());
  }
}
