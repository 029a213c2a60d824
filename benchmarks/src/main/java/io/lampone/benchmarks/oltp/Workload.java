package io.lampone.benchmarks.oltp;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.TableName;

/** Benchmark: its tables, transactions, and consistency conditions. Thread-safe. */
public interface Workload {

  /** Returns the name for people and programs. */
  String name();

  /** Returns the types in the order of the report. */
  List<String> types();

  /** Returns all of its tables. */
  List<TableName> tables();

  /** Writes the initial rows into its tables, which are empty and still plain. */
  void load(Loader loader) throws IOException;

  /**
   * Returns the next transaction of a terminal. Its inputs are chosen now: a retry has the same.
   */
  Work next(Terminal terminal);

  /**
   * Checks the conditions that hold while there are no writes.
   *
   * @return the violated ones, for people; empty if all hold
   */
  List<String> check(LamponeClient client) throws IOException;

  /** Returns the names of the conditions that {@link #check} checks. */
  List<String> conditions();

  /** Transaction with its inputs. */
  interface Work {

    /** Returns the type, one of {@link Workload#types}. */
    String type();

    /**
     * Reads and writes. May run several times, each time in a new transaction.
     *
     * @return false if the specification requires a rollback of this run, or a row was not found
     */
    boolean run(Transaction transaction) throws IOException;

    /** Called once, after it has been committed. */
    default void committed() {}
  }
}
