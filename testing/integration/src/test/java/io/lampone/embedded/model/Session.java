package io.lampone.embedded.model;

import io.lampone.client.Savepoint;
import io.lampone.client.Transaction;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Table;

/**
 * A transaction under way, in reality and in the model.
 *
 * @param number counts the transactions of a worker, for messages
 * @param writes true if it may write
 * @param savepoints those that can be rolled back to
 */
record Session(
    int number,
    Transaction real,
    ModelTransaction model,
    List<Table> tables,
    boolean writes,
    List<MarkedSavepoint> savepoints) {

  /** The same point in reality and in the model. */
  record MarkedSavepoint(Savepoint real, int model) {}

  static Session begin(
      int number, Transaction real, Model model, List<TableName> names, boolean writes) {
    List<Table> tables = names.stream().map(real::table).toList();
    return new Session(
        number,
        real,
        new ModelTransaction(model, real.startTimestamp()),
        tables,
        writes,
        new ArrayList<>());
  }

  @Override
  public String toString() {
    return "T" + number + "(" + model.start() + ")";
  }
}
