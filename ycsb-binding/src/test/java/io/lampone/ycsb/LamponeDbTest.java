package io.lampone.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;

/** Batches of inserts on a store with a set number of failures. */
final class LamponeDbTest {

  private final FailingStore store = new FailingStore();
  private final LamponeDb db = new LamponeDb(settings(), store);

  @Test
  void aBatchThatHasFailedIsSentAgain() throws Exception {
    store.failures = 1;
    assertThat(insert("a")).isEqualTo(Status.BATCHED_OK);
    assertThat(insert("b").getName()).isEqualTo("ERROR");
    assertThat(insert("b")).isEqualTo(Status.OK);
    assertThat(insert("c")).isEqualTo(Status.BATCHED_OK);
    db.cleanup();
    assertThat(store.rows).containsExactly("a", "b", "c");
  }

  @Test
  void whatIsLostInTheEndIsSaid() {
    store.failures = 2;
    insert("a");
    insert("b");
    assertThatThrownBy(db::cleanup)
        .isInstanceOf(DBException.class)
        .hasMessageContaining("the last operations have failed");
    assertThat(store.rows).isEmpty();
    assertThat(store.closed).isTrue();
  }

  private Status insert(String key) {
    return db.insert("usertable", key, Map.of("field0", new StringByteIterator("value")));
  }

  private static Settings settings() {
    Properties properties = new Properties();
    properties.setProperty(Settings.BATCH, "2");
    return Settings.of(properties);
  }

  private static final class FailingStore implements Store {

    private final List<String> rows = new ArrayList<>();
    private int failures;
    private boolean closed;

    @Override
    public Result get(Get get) {
      return Result.EMPTY_RESULT;
    }

    @Override
    public List<Result> scan(Scan scan, int limit) {
      return List.of();
    }

    @Override
    public void put(Put put) throws IOException {
      putAll(List.of(put));
    }

    @Override
    public void putAll(List<Put> puts) throws IOException {
      if (failures > 0) {
        failures--;
        throw new IOException("nobody answers");
      }
      puts.forEach(put -> rows.add(Bytes.toString(put.getRow())));
    }

    @Override
    public void delete(Delete delete) {}

    @Override
    public void close() {
      closed = true;
    }
  }
}
