package io.lampone.ycsb;

import io.lampone.client.LamponeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.jspecify.annotations.Nullable;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;

/**
 * YCSB binding of Lampone: a record is a row, a field a column of one family. YCSB creates one for
 * each thread by its name, {@code -db io.lampone.ycsb.LamponeDb}; {@link Settings} has the
 * properties.
 */
public final class LamponeDb extends DB {

  private @Nullable SharedClient shared;
  private @Nullable Store store;
  private @Nullable Settings settings;

  /** Inserts that wait for a full batch, and those that were not acknowledged. */
  private final List<Put> waiting = new ArrayList<>();

  /** Creates the binding, by reflection. */
  public LamponeDb() {}

  /** Creates the binding of an open store. */
  LamponeDb(Settings settings, Store store) {
    this.settings = settings;
    this.store = store;
  }

  @Override
  public void init() throws DBException {
    try {
      Settings read = Settings.of(getProperties());
      SharedClient client = SharedClient.acquire(getProperties(), read);
      settings = read;
      shared = client;
      store =
          switch (read.mode()) {
            case PLAIN -> new PlainStore(client.plain().getTable(read.table()));
            case FASTPATH ->
                new FastStore(
                    client.lampone(),
                    client.lampone().fastPath().table(read.table()),
                    read.forScans());
            case REGULAR -> new RegularStore(client.lampone(), read);
          };
    } catch (IOException | RuntimeException e) {
      throw new DBException("the binding cannot be used: " + e.getMessage(), e);
    }
  }

  /** Sends pending inserts and ends the open transaction; its failures belong to no operation. */
  @Override
  public void cleanup() throws DBException {
    if (store == null) {
      return;
    }
    try (Store open = store()) {
      store = null;
      flush(open);
    } catch (IOException | UncheckedIOException e) {
      throw new DBException("the last operations have failed: " + e.getMessage(), e);
    } finally {
      SharedClient client = shared;
      shared = null;
      if (client != null) {
        release(client);
      }
    }
  }

  @Override
  public Status read(
      String table, String key, @Nullable Set<String> fields, Map<String, ByteIterator> result) {
    return attempt(
        table,
        () -> {
          Get get = new Get(bytes(key));
          if (fields != null) {
            fields.forEach(field -> get.addColumn(family(), bytes(field)));
          }
          Result row = store().get(get);
          copy(row, result);
          return row.isEmpty() ? Status.NOT_FOUND : Status.OK;
        });
  }

  @Override
  @SuppressWarnings({"JdkObsolete", "NonApiType"}) // YCSB's signature
  public Status scan(
      String table,
      String startkey,
      int recordcount,
      @Nullable Set<String> fields,
      Vector<HashMap<String, ByteIterator>> result) {
    return attempt(
        table,
        () -> {
          Scan scan = new Scan().withStartRow(bytes(startkey)).addFamily(family());
          if (fields != null) {
            fields.forEach(field -> scan.addColumn(family(), bytes(field)));
          }
          for (Result row : store().scan(scan, recordcount)) {
            HashMap<String, ByteIterator> record = new HashMap<>();
            copy(row, record);
            result.add(record);
          }
          return Status.OK;
        });
  }

  @Override
  public Status update(String table, String key, Map<String, ByteIterator> values) {
    return attempt(
        table,
        () -> {
          store().put(put(key, values));
          return Status.OK;
        });
  }

  @Override
  public Status insert(String table, String key, Map<String, ByteIterator> values) {
    return attempt(
        table,
        () -> {
          int batch = settings().batch();
          if (batch == 1) {
            store().put(put(key, values));
            return Status.OK;
          }
          waiting.add(put(key, values));
          if (waiting.size() < batch) {
            return Status.BATCHED_OK;
          }
          try {
            flush(store());
          } catch (IOException | RuntimeException e) {
            // This one has failed and may be repeated; the others are sent again with the next one.
            waiting.remove(waiting.size() - 1);
            throw e;
          }
          return Status.OK;
        });
  }

  @Override
  public Status delete(String table, String key) {
    return attempt(
        table,
        () -> {
          store().delete(new Delete(bytes(key)).addFamily(family()));
          return Status.OK;
        });
  }

  /** Operation on the store. */
  @FunctionalInterface
  private interface Work {
    Status run() throws IOException;
  }

  /** Executes an operation; failures are results: YCSB counts each by its name. */
  private Status attempt(String table, Work work) {
    if (!TableName.valueOf(table).equals(settings().table())) {
      return Status.BAD_REQUEST;
    }
    try {
      return work.run();
    } catch (LamponeException e) {
      return new Status(e.code().name(), String.valueOf(e.getMessage()));
    } catch (UncheckedIOException e) {
      return e.getCause() instanceof LamponeException lampone
          ? new Status(lampone.code().name(), String.valueOf(lampone.getMessage()))
          : Status.ERROR;
    } catch (IOException e) {
      return new Status("ERROR", e.toString());
    }
  }

  private void flush(Store open) throws IOException {
    if (!waiting.isEmpty()) {
      open.putAll(List.copyOf(waiting));
      waiting.clear();
    }
  }

  private void release(SharedClient client) throws DBException {
    try {
      client.release(getProperties());
    } catch (IOException e) {
      throw new DBException("could not be closed: " + e.getMessage(), e);
    }
  }

  private Put put(String key, Map<String, ByteIterator> values) {
    Put put = new Put(bytes(key));
    values.forEach((field, value) -> put.addColumn(family(), bytes(field), value.toArray()));
    return put;
  }

  private static void copy(Result row, Map<String, ByteIterator> record) {
    if (!row.isEmpty()) {
      for (Cell cell : row.rawCells()) {
        record.put(
            new String(CellUtil.cloneQualifier(cell), StandardCharsets.UTF_8),
            new ByteArrayByteIterator(CellUtil.cloneValue(cell)));
      }
    }
  }

  private Store store() {
    if (store == null) {
      throw new IllegalStateException("used before init");
    }
    return store;
  }

  private Settings settings() {
    if (settings == null) {
      throw new IllegalStateException("used before init");
    }
    return settings;
  }

  private byte[] family() {
    return bytes(settings().family());
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
