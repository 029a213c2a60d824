package io.lampone.benchmarks.oltp;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.TableName;

/** A benchmark: its tables, its transactions, and what must hold of them. Thread-safe. */
public interface Workload {

  /** For people and programs. */
  String name();

  /** In the order in which a report shows them. */
  List<String> types();

  /** All of its tables. */
  List<TableName> tables();

  /** Writes what is there at the beginning into its tables, which are empty and still plain. */
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

  /** The names of what {@link #check} checks. */
  List<String> conditions();

  /** One transaction with its inputs. */
  interface Work {

    /** One of {@link Workload#types}. */
    String type();

    /**
     * Reads and writes. May run several times, in a transaction of its own each time.
     *
     * @return false if the specification says that this one is rolled back, or has found nothing
     */
    boolean run(Transaction transaction) throws IOException;

    /** Called once, after it has been committed. */
    default void committed() {}
  }
}
