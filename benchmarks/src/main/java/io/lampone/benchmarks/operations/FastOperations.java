package io.lampone.benchmarks.operations;

import io.lampone.client.fastpath.FastPathTable;
import io.lampone.client.fastpath.RowRead;
import java.io.IOException;

/** Measured operations by the fast path. */
record FastOperations(FastPathTable table, Content content) {

  void get(Worker worker) throws IOException {
    content.require(table.get(content.get(content.anyKey(worker))));
  }

  void getLatest(Worker worker) throws IOException {
    content.require(table.getLatest(content.get(content.anyKey(worker))));
  }

  void put(Worker worker) throws IOException {
    table.put(content.put(content.anyKey(worker)));
  }

  /** Repeats until no other write comes between the read and the write. */
  void readAndWrite(Worker worker) throws IOException {
    byte[] key = content.anyKey(worker);
    boolean committed = false;
    while (!committed) {
      RowRead read = table.readForUpdate(content.get(key));
      content.require(read.result());
      committed = table.putIf(content.put(key), read.version()).isCommitted();
    }
  }
}
