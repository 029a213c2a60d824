package io.lampone.benchmarks.scale;

import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.client.fastpath.FastPathTable;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;

/** Operations of the contestants on a pair of tables. */
final class Operations {

  private final Connection connection;
  private final LamponeClient client;
  private final ScaleTables tables;
  private final Clock clock;
  private final Breakdown breakdown = new Breakdown();

  Operations(Connection connection, LamponeClient client, ScaleTables tables, Clock clock) {
    this.connection = connection;
    this.client = client;
    this.tables = tables;
    this.clock = clock;
    client.observeCommits(breakdown::took);
  }

  /** Returns the breakdown, which observes every transaction. */
  Breakdown breakdown() {
    return breakdown;
  }

  /** Read of a row by a contestant. */
  private interface Reader {
    Result get(Get get) throws IOException;
  }

  /** Write of a row by a contestant. */
  private interface Writer {
    void put(Put put) throws IOException;
  }

  /**
   * Reads and writes rows, one after the other, any row as likely: gets and puts of HBase, one
   * transaction, or gets and puts of the fast path.
   */
  ThreadOperation.Source access(Kind kind, Contestant contestant, ScaleTables.Pair pair) {
    return () -> {
      switch (contestant) {
        case REGULAR -> {
          return random -> regular(TransactionOptions.DEFAULT, kind, pair, random);
        }
        case VALIDATED -> {
          TransactionOptions options = TransactionOptions.DEFAULT.withoutOneRegionCommit();
          return random -> regular(options, kind, pair, random);
        }
        case FAST_PATH -> {
          FastPathTable table = client.fastPath().table(pair.transactional());
          return random -> {
            access(kind, rows(kind, pair, random), table::get, table::put);
            return true;
          };
        }
        default -> {
          Table table = connection.getTable(pair.plain());
          return random -> {
            access(kind, rows(kind, pair, random), table::get, table::put);
            return true;
          };
        }
      }
    };
  }

  private void access(Kind kind, List<Integer> rows, Reader reader, Writer writer)
      throws IOException {
    int reads = 0;
    int writes = 0;
    while (reads + writes < kind.reads() + kind.writes()) {
      int row = rows.get((reads + writes) % rows.size());
      if (reads < kind.reads() && (reads <= writes || writes == kind.writes())) {
        tables.require(reader.get(tables.get(row)));
        reads++;
      } else {
        writer.put(tables.put(row));
        writes++;
      }
    }
  }

  private static List<Integer> rows(Kind kind, ScaleTables.Pair pair, RandomGenerator random) {
    return kind.isOneRow()
        ? List.of(random.nextInt(pair.rows()))
        : differentRows(kind.reads() + kind.writes(), pair, random);
  }

  private static List<Integer> differentRows(
      int count, ScaleTables.Pair pair, RandomGenerator random) {
    Set<Integer> rows = new LinkedHashSet<>();
    while (rows.size() < count) {
      rows.add(random.nextInt(pair.rows()));
    }
    return List.copyOf(rows);
  }

  private boolean regular(
      TransactionOptions options, Kind kind, ScaleTables.Pair pair, RandomGenerator random)
      throws IOException {
    List<Integer> rows = rows(kind, pair, random);
    long start = clock.monotonicNanos();
    try (Transaction transaction = client.begin(options)) {
      long begun = took(Breakdown.Phase.BEGIN, start);
      Table table = transaction.table(pair.transactional());
      access(kind, rows, table::get, table::put);
      long accessed = took(Breakdown.Phase.DATA, begun);
      transaction.commit();
      took(Breakdown.Phase.COMMIT, accessed);
      return true;
    } catch (LamponeException e) {
      return aborted(e);
    }
  }

  /** Adds the time since {@code startNanos} to a phase, and returns the present time. */
  private long took(Breakdown.Phase phase, long startNanos) {
    long now = clock.monotonicNanos();
    breakdown.took(phase, now - startNanos);
    return now;
  }

  /** Writes so many different rows: a list of puts, or one transaction. */
  ThreadOperation.Source write(Contestant contestant, ScaleTables.Pair pair, int count) {
    return () -> {
      Table plain = connection.getTable(pair.plain());
      return random -> {
        List<Put> puts = puts(pair, count, random);
        if (!contestant.isTransactional()) {
          plain.put(puts);
          return true;
        }
        long start = clock.monotonicNanos();
        try (Transaction transaction = client.begin()) {
          long begun = took(Breakdown.Phase.BEGIN, start);
          transaction.table(pair.transactional()).put(puts);
          long buffered = took(Breakdown.Phase.DATA, begun);
          transaction.commit();
          took(Breakdown.Phase.COMMIT, buffered);
          return true;
        } catch (LamponeException e) {
          return aborted(e);
        }
      };
    };
  }

  private List<Put> puts(ScaleTables.Pair pair, int count, RandomGenerator random) {
    List<Put> puts = new ArrayList<>();
    differentRows(count, pair, random).forEach(row -> puts.add(tables.put(row)));
    return puts;
  }

  private static boolean aborted(LamponeException e) throws LamponeException {
    return switch (e.code()) {
      case CONFLICT, ABORTED, BLOCKED -> false;
      default -> throw e;
    };
  }
}
