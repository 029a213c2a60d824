package io.lampone.coprocessor;

import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Put;

/**
 * One row of a region request on its way through HBase's write path: empty until the row is locked.
 * It carries its request by reference, so that the hook under the locks finds it again without a
 * map.
 */
final class RequestPut extends Put {

  private final RequestBatch batch;
  private final int index;

  RequestPut(byte[] row, RequestBatch batch, int index, Durability durability) {
    super(row, true);
    this.batch = batch;
    this.index = index;
    setDurability(durability);
  }

  RequestBatch batch() {
    return batch;
  }

  int index() {
    return index;
  }
}
