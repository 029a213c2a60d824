package io.lampone.coprocessor;

import org.apache.hadoop.hbase.client.Get;

/** What a write request reads, as other observers are asked about it; never carried out. */
final class RequestGet extends Get {

  RequestGet(byte[] row) {
    super(row);
  }
}
