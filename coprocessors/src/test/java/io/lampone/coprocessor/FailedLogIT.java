package io.lampone.coprocessor;

import static io.lampone.coprocessor.FastTable.F;
import static io.lampone.coprocessor.FastTable.Q;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.request.Refusal;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.wal.WAL;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A write that is in the log, and that HBase fails, e.g. because a disk is full: the store does not
 * have it, and a recovery brings it back below what has been read since.
 */
@ExtendWith(ClusterExtension.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class FailedLogIT {

  private static final Bytes ROW = Bytes.utf8("r");
  private static final Bytes OTHER = Bytes.utf8("s");

  private final TinyCluster cluster;
  private final Ticks ticks;
  private TestTable table;
  private FastTable fast;

  FailedLogIT(TinyCluster cluster) {
    this.cluster = cluster;
    this.ticks = cluster.ticks();
  }

  @BeforeEach
  void createTable() throws Exception {
    long base = ticks.next();
    cluster.publish(Ticks.record(base, base));
    table = new TestTable(cluster.connection(), "log-" + System.nanoTime());
    table.createPlain(null, "f", "g");
    table.enable(
        new TableSettings(
            TableSettings.Phase.ENABLED,
            ConflictLevel.ROW,
            base,
            true,
            TableSettings.PlainClients.FAST_PATH));
    fast = new FastTable(cluster, table, base);
    fast.put(ROW, "old");
    fast.put(OTHER, "old");
  }

  @Test
  @Order(1)
  void aMoveOfTheRegionSettlesIt() throws Exception {
    fast.snapshot(ROW, ticks.next());
    try (FailingLog log = new FailingLog(fast.region())) {
      assertThatThrownBy(() -> fast.put(ROW, "new")).isInstanceOf(IOException.class);
      assertThat(log.failed()).isTrue();
    }
    long later = ticks.next();
    assertNotReady(() -> fast.snapshot(ROW, later));
    fast.move();
    assertThat(fast.snapshot(ROW, later)).as("the store was flushed").containsExactly("old");
    assertThat(fast.put(ROW, "newer").version()).isGreaterThan(later);
  }

  /** The last test: it ends a server. */
  @Test
  @Order(3)
  void whatARecoveryBringsBack_isNotReadPastBefore() throws Exception {
    long before = ticks.next();
    fast.snapshot(ROW, before); // raises the clock
    try (FailingLog log = new FailingLog(fast.region())) {
      assertThatThrownBy(() -> fast.put(ROW, "new")).isInstanceOf(IOException.class);
      assertThat(log.failed()).isTrue();
    }
    long later = ticks.next();
    assertThat(fast.snapshot(ROW, before)).as("a snapshot below it").containsExactly("old");
    assertThat(fast.snapshot(OTHER, later)).as("another row").containsExactly("old");
    assertNotReady(() -> fast.snapshot(ROW, later));
    assertNotReady(() -> fast.put(ROW, "newer"));
    assertThat(fast.put(OTHER, "new").version()).isPositive();

    int failed = fast.serverOfRegion();
    cluster.server(failed).abort("the log has failed");
    TinyCluster.await(() -> !cluster.server(1 - failed).getRegions(table.name()).isEmpty());
    assertThat(fast.snapshot(ROW, later)).as("after the recovery").containsExactly("new");
    assertThat(fast.put(ROW, "newer").version()).isGreaterThan(later);
  }

  @Test
  @Order(2)
  void aPlainClientsWriteLikewise() throws Exception {
    try (Table plain = cluster.connection().getTable(table.name())) {
      try (FailingLog log = new FailingLog(fast.region())) {
        assertThatThrownBy(() -> plain.put(put(ROW))).isInstanceOf(IOException.class);
        assertThat(log.failed()).isTrue();
      }
      assertThatThrownBy(() -> plain.put(put(ROW))).hasStackTraceContaining("NOT_READY");
      plain.put(put(OTHER));
    }
    assertNotReady(() -> fast.snapshot(ROW, ticks.next()));
  }

  private static Put put(Bytes row) {
    return new Put(row.toArray()).addColumn(F.toArray(), Q.toArray(), new byte[] {'n'});
  }

  private static void assertNotReady(ThrowingCallable call) {
    assertThatThrownBy(call).hasMessageContaining(Refusal.Code.NOT_READY.name());
  }

  /** Lets a region append to its log, and fails each wait for the disk. */
  private static final class FailingLog implements AutoCloseable {

    private final HRegion region;
    private final WAL log;
    private final AtomicBoolean failed = new AtomicBoolean();

    FailingLog(HRegion region) throws ReflectiveOperationException {
      this.region = region;
      this.log = region.getWAL();
      set(
          (WAL)
              Proxy.newProxyInstance(
                  WAL.class.getClassLoader(),
                  new Class<?>[] {WAL.class},
                  (proxy, method, arguments) -> {
                    try {
                      Object result = method.invoke(log, arguments);
                      if (method.getName().equals("sync")) {
                        failed.set(true);
                        throw new IOException("No space left on device");
                      }
                      return result;
                    } catch (InvocationTargetException e) {
                      throw e.getCause();
                    }
                  }));
    }

    boolean failed() {
      return failed.get();
    }

    private void set(WAL wal) throws ReflectiveOperationException {
      Field field = HRegion.class.getDeclaredField("wal");
      field.setAccessible(true);
      field.set(region, wal);
    }

    @Override
    public void close() throws ReflectiveOperationException {
      set(log);
    }
  }
}
