package io.lampone.client.fastpath;

import org.apache.hadoop.hbase.client.Result;

/**
 * A row read by the fast path, to be written on condition.
 *
 * @param result what HBase's Get would give
 * @param version what {@link FastPathOperation#ifUnchanged} expects then
 */
public record RowRead(Result result, RowVersion version) {}
