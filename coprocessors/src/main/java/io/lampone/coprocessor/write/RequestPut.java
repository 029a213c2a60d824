package io.lampone.coprocessor.write;

import io.lampone.protocol.Bytes;
import java.util.ArrayList;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Put;

/**
 * One row of a region request in HBase's write path. Until the row is locked, it shows the
 * requested changes to other observers, if there are any; then it is emptied. It refers to its
 * request, so that the hook under the locks finds the request without a map.
 */
public final class RequestPut extends Put {

  private final LockedRequest request;

  public RequestPut(byte[] row, LockedRequest request, Durability durability) {
    super(row, true);
    this.request = request;
    setDurability(durability);
  }

  /** Shows that a column will be written. */
  public void showCell(Bytes family, Bytes qualifier, Bytes value) {
    addColumn(family.unsafeArray(), qualifier.unsafeArray(), value.unsafeArray());
  }

  /** Shows that all columns of a family will be written. */
  public void showFamily(Bytes family) {
    getFamilyCellMap().put(family.unsafeArray(), new ArrayList<>());
  }

  public LockedRequest request() {
    return request;
  }
}
