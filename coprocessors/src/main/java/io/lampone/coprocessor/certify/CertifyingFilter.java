package io.lampone.coprocessor.certify;

import io.lampone.coprocessor.Guard;
import io.lampone.coprocessor.OpenRegion;
import io.lampone.coprocessor.core.visibility.RangeCertification;
import io.lampone.coprocessor.row.CellCursor;
import io.lampone.coprocessor.row.HBaseRow;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.request.CertifyScan;
import io.lampone.protocol.request.FastReadReply;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.filter.FilterBase;
import org.jspecify.annotations.Nullable;

/**
 * Certifies a range while HBase scans it: passes the stored cells to a {@link RangeCertification},
 * returns none of them, and returns its findings instead. The first change ends the scan. Limits,
 * batches and time slices are those of any scan with a selective filter.
 */
public final class CertifyingFilter extends FilterBase {

  private final OpenRegion open;
  private final RangeCertification certification;
  private final long commit;
  private final CellCursor cursor = new CellCursor();

  // all of the following belongs to the one thread that runs the request at a time

  /** Current family; null before the first cell of a row. */
  private @Nullable Bytes family;

  /** Pointers returned for this row: family and start timestamp. */
  private final Set<List<Object>> pointers = new HashSet<>();

  /** Finding that replaces the cell being included. */
  private @Nullable Cell finding;

  private boolean changed;

  /**
   * The region, as seen by a certification.
   *
   * @param tableFloor at the opening of the scanner
   */
  private record Certified(OpenRegion open, long tableFloor) implements RangeCertification.Region {

    @Override
    public long bornAbove(Bytes row, long timestamp) {
      return open.recent().bornAbove(row, timestamp);
    }
  }

  /** Admits a certification of some rows of a region; see {@link RangeCertification#admit}. */
  public static CertifyingFilter admit(OpenRegion open, CertifyScan request) {
    long tableFloor = open.rules(open.requireTransactional()).floor();
    return new CertifyingFilter(
        open,
        RangeCertification.admit(request, new Certified(open, tableFloor), open.guards()),
        request.commitTimestamp());
  }

  /**
   * @param commit the commit timestamp of the transaction
   */
  private CertifyingFilter(OpenRegion open, RangeCertification certification, long commit) {
    this.open = open;
    this.certification = certification;
    this.commit = commit;
  }

  @Override
  public ReturnCode filterCell(Cell cell) throws IOException {
    if (changed) {
      return ReturnCode.NEXT_ROW;
    }
    try {
      return decide(cell);
    } catch (RuntimeException | Error e) {
      throw Guard.told("filterCell", e);
    }
  }

  private ReturnCode decide(Cell cell) throws IOException {
    cursor.moveTo(cell);
    if (family == null || !cursor.isIn(family)) {
      family = cursor.family();
      certification.enter(open.row(cursor.row(), HBaseRow.VISIBLE), family);
    }
    return switch (certification.look(cursor)) {
      case NEXT_VERSION -> ReturnCode.SKIP;
      case NEXT_COLUMN -> ReturnCode.NEXT_COL;
      // Ends the row in this store only: the other families follow.
      case NEXT_FAMILY -> ReturnCode.NEXT_ROW;
      case CHANGED -> {
        changed = true;
        byte[] reply = new FastReadReply(commit, certification.changedAt(), 0).encode();
        finding = Carrier.proofCell(CellUtil.cloneRow(cell), reply);
        yield ReturnCode.INCLUDE;
      }
      case POINT -> point(cell, family);
    };
  }

  private ReturnCode point(Cell cell, Bytes here) {
    open.guards().met();
    long start = certification.undecidedStart();
    if (!pointers.add(List.of(here, start))) {
      return ReturnCode.SKIP;
    }
    finding =
        Carrier.pointerCell(
            cell, start, open.guards().shown(open.table(), start, certification.undecidedCell()));
    return ReturnCode.INCLUDE;
  }

  @Override
  public Cell transformCell(Cell cell) {
    Cell instead = finding;
    finding = null;
    return instead == null ? cell : instead;
  }

  @Override
  public void reset() {
    family = null;
    finding = null;
    pointers.clear();
  }

  @Override
  public boolean filterRowKey(Cell cell) {
    return false;
  }

  @Override
  public boolean filterAllRemaining() {
    return changed;
  }
}
