package io.lampone.cli.shell;

import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Table;

/**
 * Names of tables and families for completion. A background thread reads them, so that a caller
 * waits at most {@link #WAIT_MILLIS} while the cluster is unavailable. Not thread-safe.
 */
final class NameLookup implements AutoCloseable {

  /** Longest wait of a caller. */
  static final long WAIT_MILLIS = 500;

  /** Age at which names are read again. */
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Limit of tables with cached families. */
  private static final int MAX_KEPT = 1_000;

  private final Database database;
  private final Clock clock;
  private final ExecutorService reader =
      Executors.newSingleThreadExecutor(
          work -> {
            Thread thread = new Thread(work, "lampone-shell-names");
            thread.setDaemon(true);
            return thread;
          });

  /** Lookups by table; the empty name is that of the list of tables. */
  private final Map<String, Asked> asked = new HashMap<>();

  private record Asked(Future<List<String>> names, long sinceNanos) {}

  NameLookup(Database database, Clock clock) {
    this.database = database;
    this.clock = clock;
    ask("", this::readTables); // the first answer takes longest
  }

  /** Returns the names of the transactional tables that are known in time. */
  List<String> tables() {
    return names("", this::readTables);
  }

  private List<String> readTables() throws IOException {
    return database.admin().listTables().stream()
        .map(table -> table.name().getNameAsString())
        .toList();
  }

  /** Returns the families of a table that are known in time. */
  List<String> families(String table) {
    return names(
        table,
        () -> {
          try (Transaction reading = database.begin(TransactionOptions.DEFAULT.asReadOnly());
              Table view = reading.table(TableName.valueOf(table))) {
            return view.getDescriptor().getColumnFamilyNames().stream()
                .map(family -> Bytes.of(family).toUtf8())
                .toList();
          }
        });
  }

  private List<String> names(String key, Callable<List<String>> question) {
    try {
      return ask(key, question).get(WAIT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of();
    } catch (ExecutionException | TimeoutException e) {
      return List.of(); // the statement itself reports the error
    }
  }

  private Future<List<String>> ask(String key, Callable<List<String>> question) {
    long now = clock.monotonicNanos();
    Asked last = asked.get(key);
    if (last == null || (last.names.isDone() && now - last.sinceNanos > FRESH_NANOS)) {
      if (asked.size() >= MAX_KEPT) {
        asked.clear();
      }
      last = new Asked(reader.submit(question), now);
      asked.put(key, last);
    }
    return last.names;
  }

  @Override
  public void close() {
    reader.shutdownNow();
  }
}
