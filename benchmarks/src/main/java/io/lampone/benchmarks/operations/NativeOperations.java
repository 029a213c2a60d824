package io.lampone.benchmarks.operations;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Table;

/**
 * Operations of a plain HBase client.
 *
 * @param tables one for each worker: HBase does not promise that threads may share one
 */
record NativeOperations(List<Table> tables, Content content) {

  /** Reads and writes of the transaction that ten operations are compared with, of each. */
  static final int HALF_OF_TEN = 5;

  void get(Worker worker) throws IOException {
    content.require(table(worker).get(content.get(content.anyKey(worker))));
  }

  void put(Worker worker) throws IOException {
    table(worker).put(content.put(content.anyKey(worker)));
  }

  void readAndWrite(Worker worker) throws IOException {
    byte[] key = content.anyKey(worker);
    content.require(table(worker).get(content.get(key)));
    table(worker).put(content.put(key));
  }

  void ten(Worker worker) throws IOException {
    for (int i = 0; i < HALF_OF_TEN; i++) {
      get(worker);
      put(worker);
    }
  }

  /** Neighbouring rows, which are neither flushed nor changed again. */
  void scan(Worker worker) throws IOException {
    try (ResultScanner scanner = table(worker).getScanner(content.scan(worker))) {
      content.requireScanned(scanner);
    }
  }

  private Table table(Worker worker) {
    return tables.get(worker.number());
  }
}
