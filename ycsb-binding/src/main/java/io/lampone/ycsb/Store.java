package io.lampone.ycsb;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;

/** Table access of one YCSB thread. Not thread-safe. */
interface Store extends AutoCloseable {

  Result get(Get get) throws IOException;

  /** Returns up to {@code limit} rows. */
  List<Result> scan(Scan scan, int limit) throws IOException;

  void put(Put put) throws IOException;

  /** Writes all of them, in as few calls as the mode allows. */
  void putAll(List<Put> puts) throws IOException;

  void delete(Delete delete) throws IOException;

  /** Ends the open transaction. */
  @Override
  void close() throws IOException;
}
