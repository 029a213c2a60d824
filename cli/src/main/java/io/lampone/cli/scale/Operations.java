package io.lampone.cli.scale;

import io.lampone.client.FastPathTable;
import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.Transaction;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;

/** What contestants do with a pair of tables. */
final class Operations {

  private final Connection connection;
  private final LamponeClient client;
  private final ScaleTables tables;

  Operations(Connection connection, LamponeClient client, ScaleTables tables) {
    this.connection = connection;
    this.client = client;
    this.tables = tables;
  }

  /**
   * Reads a row and writes it; any row as likely. A get and a put of HBase, one transaction, or a
   * get and a put of the fast path.
   */
  Operation.Source readAndWrite(Contestant contestant, ScaleTables.Pair pair) {
    return () -> {
      switch (contestant) {
        case REGULAR -> {
          return random -> regular(pair, random.nextInt(pair.rows()));
        }
        case FAST_PATH -> {
          FastPathTable table = client.fastPath().table(pair.transactional());
          return random -> {
            int row = random.nextInt(pair.rows());
            tables.require(table.get(tables.get(row)));
            table.put(tables.put(row));
            return true;
          };
        }
        default -> {
          Table table = connection.getTable(pair.plain());
          return random -> {
            int row = random.nextInt(pair.rows());
            tables.require(table.get(tables.get(row)));
            table.put(tables.put(row));
            return true;
          };
        }
      }
    };
  }

  private boolean regular(ScaleTables.Pair pair, int row) throws IOException {
    try (Transaction transaction = client.begin()) {
      Table table = transaction.table(pair.transactional());
      tables.require(table.get(tables.get(row)));
      table.put(tables.put(row));
      transaction.commit();
      return true;
    } catch (LamponeException e) {
      return aborted(e);
    }
  }

  /** Writes so many different rows: a list of puts, or one transaction. */
  Operation.Source write(Contestant contestant, ScaleTables.Pair pair, int count) {
    return () -> {
      Table plain = connection.getTable(pair.plain());
      return random -> {
        List<Put> puts = puts(pair, count, random);
        if (!contestant.isTransactional()) {
          plain.put(puts);
          return true;
        }
        try (Transaction transaction = client.begin()) {
          transaction.table(pair.transactional()).put(puts);
          transaction.commit();
          return true;
        } catch (LamponeException e) {
          return aborted(e);
        }
      };
    };
  }

  private List<Put> puts(ScaleTables.Pair pair, int count, RandomGenerator random) {
    Set<Integer> rows = new LinkedHashSet<>();
    while (rows.size() < count) {
      rows.add(random.nextInt(pair.rows()));
    }
    List<Put> puts = new ArrayList<>();
    rows.forEach(row -> puts.add(tables.put(row)));
    return puts;
  }

  private static boolean aborted(LamponeException e) throws LamponeException {
    return switch (e.code()) {
      case CONFLICT, ABORTED, BLOCKED -> false;
      default -> throw e;
    };
  }
}
