package io.lampone.client.fastpath;

import org.apache.hadoop.hbase.client.Result;

/**
 * A row read through the fast path for a conditional write.
 *
 * @param result result as of HBase's Get
 * @param version version for {@link FastPathOperation#ifUnchanged}
 */
public record RowRead(Result result, RowVersion version) {}
