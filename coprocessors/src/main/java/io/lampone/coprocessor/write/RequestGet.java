package io.lampone.coprocessor.write;

import org.apache.hadoop.hbase.client.Get;

/** What a write request reads, as other observers are asked about it; never carried out. */
public final class RequestGet extends Get {

  public RequestGet(byte[] row) {
    super(row);
  }
}
