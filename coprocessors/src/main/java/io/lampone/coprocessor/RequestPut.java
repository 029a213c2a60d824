package io.lampone.coprocessor;

import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Put;

/**
 * One row of a region request on its way through HBase's write path: empty until the row is locked.
 * It carries its request by reference, so that the hook under the locks finds it again without a
 * map.
 */
final class RequestPut extends Put {

  private final LockedRequest request;

  RequestPut(byte[] row, LockedRequest request, Durability durability) {
    super(row, true);
    this.request = request;
    setDurability(durability);
  }

  LockedRequest request() {
    return request;
  }
}
