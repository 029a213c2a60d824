package io.lampone.benchmarks.operations;

import static io.lampone.benchmarks.operations.NativeOperations.HALF_OF_TEN;

import io.lampone.client.LamponeClient;
import io.lampone.client.TransactionOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Table;

/** Measured operations in regular transactions, from begin to commit. */
record RegularOperations(
    LamponeClient client, TableName table, Content content, TransactionOptions options) {

  void readOne(Worker worker) throws IOException {
    byte[] key = content.anyKey(worker);
    content.require(client.run(options.asReadOnly(), tx -> tx.table(table).get(content.get(key))));
  }

  void writeOne(Worker worker) throws IOException {
    byte[] key = content.anyKey(worker);
    client.run(
        options,
        tx -> {
          tx.table(table).put(content.put(key));
          return key;
        });
  }

  void scan(Worker worker) throws IOException {
    client.run(
        options.asReadOnly(),
        tx -> {
          try (ResultScanner scanner = tx.table(table).getScanner(content.scan(worker))) {
            content.requireScanned(scanner);
          }
          return worker;
        });
  }

  /** Reads one row at a time, as an application does whose next read depends on the last one. */
  void ten(Worker worker) throws IOException {
    client.run(
        options,
        tx -> {
          Table rows = tx.table(table);
          for (int i = 0; i < HALF_OF_TEN; i++) {
            content.require(rows.get(content.get(content.anyKey(worker))));
            rows.put(content.put(content.anyKey(worker)));
          }
          return worker;
        });
  }

  /** Reads all rows concurrently. */
  void tenTogether(Worker worker) throws IOException {
    client.run(
        options,
        tx -> {
          Table rows = tx.table(table);
          List<Get> gets = new ArrayList<>();
          for (int i = 0; i < HALF_OF_TEN; i++) {
            gets.add(content.get(content.anyKey(worker)));
          }
          for (Result result : rows.get(gets)) {
            content.require(result);
          }
          for (int i = 0; i < HALF_OF_TEN; i++) {
            rows.put(content.put(content.anyKey(worker)));
          }
          return worker;
        });
  }
}
