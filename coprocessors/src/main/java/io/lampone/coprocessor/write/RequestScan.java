package io.lampone.coprocessor.write;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import java.io.IOException;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.security.visibility.VisibilityLabelServiceManager;

/** Scan of a request, as presented to other observers; never executed. */
public final class RequestScan extends Scan {

  /** Name of the filter that VisibilityController adds to every read; the class is not public. */
  private static final String LABEL_FILTER =
      "org.apache.hadoop.hbase.security.visibility.VisibilityLabelFilter";

  private RequestScan(Scan scan) throws IOException {
    super(scan);
  }

  /** Returns true if it names reserved columns only, whose cells have no labels. */
  private boolean isOfReserved() {
    return hasFamilies()
        && getFamilyMap().values().stream()
            .allMatch(
                columns ->
                    columns != null
                        && columns.stream()
                            .allMatch(column -> Reserved.isReserved(Bytes.wrap(column))));
  }

  /** Returns true if another observer has added a filter that hides cells from its reader. */
  public boolean isRestricted() throws IOException {
    return getFilter() != null && !showsAllLabels(getFilter());
  }

  /** Returns true for HBase's filter of labels if its reader sees every label of what is named. */
  private boolean showsAllLabels(Filter filter) throws IOException {
    if (filter instanceof FilterList list) {
      for (Filter each : list.getFilters()) {
        if (!showsAllLabels(each)) {
          return false;
        }
      }
      return true;
    }
    return filter.getClass().getName().equals(LABEL_FILTER)
        && (isOfReserved()
            || VisibilityLabelServiceManager.getInstance()
                .getVisibilityLabelService()
                .havingSystemAuth(RpcServer.getRequestUser().orElseThrow()));
  }

  /** Returns the plain scan that {@code scan} stands for: without a filter and our own family. */
  public static RequestScan of(Scan scan) throws IOException {
    RequestScan plain = new RequestScan(scan);
    plain.setFilter(null);
    plain.getFamilyMap().remove(Reserved.PROOF_FAMILY.unsafeArray());
    return plain;
  }
}
