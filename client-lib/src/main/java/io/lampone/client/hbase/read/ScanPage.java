package io.lampone.client.hbase.read;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.CellScanner;
import org.apache.hadoop.hbase.client.Consistency;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.shaded.protobuf.RequestConverter;
import org.apache.hadoop.hbase.shaded.protobuf.ResponseConverter;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.ScanRequest;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.ScanResponse;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * First rows of a scan, by a scanner that is opened, read and closed in one request.
 *
 * @param rows whole ones; possibly none
 * @param isLast true if the scan has no further ones
 */
public record ScanPage(List<Result> rows, boolean isLast) {

  /**
   * Returns true if a scan can begin so, in the region of its first row: if it ends there too, most
   * likely with this page; and if opening another scanner behind it loses nothing, such as the
   * state of a filter over several rows, or the rest of a row in parts.
   */
  public static boolean canBegin(Scan scan, RegionInfo region) {
    return scan.getConsistency() == Consistency.STRONG
        && !scan.isReversed()
        && scan.includeStartRow()
        && (scan.getFilter() == null || isOfOneRow(scan))
        && scan.getBatch() <= 0
        && !scan.getAllowPartialResults()
        && endsIn(region.getEndKey(), scan);
  }

  /** Returns true if a scan can find no more than one row. */
  public static boolean isOfOneRow(Scan scan) {
    byte[] start = scan.getStartRow();
    byte[] stop = scan.getStopRow();
    return scan.isGetScan()
        || scan.includeStartRow()
            && !scan.includeStopRow()
            && stop.length == start.length + 1
            && stop[start.length] == 0
            && Arrays.equals(start, 0, start.length, stop, 0, start.length);
  }

  private static boolean endsIn(byte[] end, Scan scan) {
    if (end.length == 0) {
      return true;
    }
    int order = Bytes.compareTo(scan.getStopRow(), end);
    return scan.getStopRow().length > 0 && (order < 0 || order == 0 && !scan.includeStopRow());
  }

  /** Returns a scan's request. */
  public static ScanRequest request(byte[] region, Scan scan) throws IOException {
    return RequestConverter.buildScanRequest(region, scan, scan.getCaching(), true);
  }

  public static ScanPage of(Scan scan, ScanResponse answer, CellScanner cells) throws IOException {
    Result[] results = ResponseConverter.getResults(cells, answer);
    int whole = results == null ? 0 : results.length;
    boolean parted = whole > 0 && results[whole - 1].mayHaveMoreCellsInRow();
    if (parted) {
      whole--; // it is read again, from its beginning
    }
    boolean over =
        answer.hasMoreResultsInRegion() && !answer.getMoreResultsInRegion()
            || scan.getLimit() > 0 && whole >= scan.getLimit();
    return new ScanPage(
        whole == 0 ? List.of() : Arrays.asList(results).subList(0, whole), over && !parted);
  }
}
