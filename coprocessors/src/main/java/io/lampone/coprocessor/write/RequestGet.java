package io.lampone.coprocessor.write;

import org.apache.hadoop.hbase.client.Get;

/** Read of a write request, as presented to other observers; never executed. */
public final class RequestGet extends Get {

  public RequestGet(byte[] row) {
    super(row);
  }
}
