package io.lampone.embedded.model;

import io.lampone.protocol.Bytes;
import org.apache.hadoop.hbase.client.Scan;

/**
 * A scan. Numbers that are 0 leave HBase's default; empty keys mean no bound.
 *
 * @param batch cells in one result
 * @param maxResultBytes bytes in one reply, roughly
 */
record ScanSpec(
    ReadSpec read,
    Bytes start,
    boolean includeStart,
    Bytes stop,
    boolean includeStop,
    boolean reversed,
    int limit,
    int batch,
    int caching,
    long maxResultBytes,
    boolean partial) {

  Scan scan() {
    Scan scan = read.scan();
    if (!start.isEmpty()) {
      scan.withStartRow(start.toArray(), includeStart);
    }
    if (!stop.isEmpty()) {
      scan.withStopRow(stop.toArray(), includeStop);
    }
    scan.setReversed(reversed);
    if (limit > 0) {
      scan.setLimit(limit);
    }
    if (batch > 0) {
      scan.setBatch(batch);
    }
    if (caching > 0) {
      scan.setCaching(caching);
    }
    if (maxResultBytes > 0) {
      scan.setMaxResultSize(maxResultBytes);
    }
    scan.setAllowPartialResults(partial);
    return scan;
  }
}
