package io.lampone.coprocessor.write;

import io.lampone.protocol.Reserved;
import java.io.IOException;
import org.apache.hadoop.hbase.client.Scan;

/** Scan of a request, as presented to other observers; never executed. */
public final class RequestScan extends Scan {

  private RequestScan(Scan scan) throws IOException {
    super(scan);
  }

  /** Returns the plain scan that {@code scan} stands for: without a filter and our own family. */
  public static RequestScan of(Scan scan) throws IOException {
    RequestScan plain = new RequestScan(scan);
    plain.setFilter(null);
    plain.getFamilyMap().remove(Reserved.PROOF_FAMILY.unsafeArray());
    return plain;
  }
}
