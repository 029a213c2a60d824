package io.lampone.coprocessor.write;

import static io.lampone.coprocessor.FastTable.F;
import static io.lampone.coprocessor.FastTable.Q;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.ClusterExtension;
import io.lampone.coprocessor.FastTable;
import io.lampone.coprocessor.TestTable;
import io.lampone.coprocessor.Ticks;
import io.lampone.coprocessor.TinyCluster;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.trust.Proofs;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Writes that another coprocessor of the region makes while it scans, as Phoenix's ALTER does. */
@ExtendWith(ClusterExtension.class)
class WritesWithinScansIT {

  private static final Bytes ROW = Bytes.utf8("r1");
  private static final Bytes ROW2 = Bytes.utf8("r2");

  private final TinyCluster cluster;

  WritesWithinScansIT(TinyCluster cluster) {
    this.cluster = cluster;
  }

  /** Its own reads show intents that were there before the scan, and fail. */
  @Test
  void aRowWithAnIntentThatCameDuringTheScanIsNotLeftOut() throws Exception {
    Ticks ticks = cluster.ticks();
    long base = ticks.next();
    cluster.publish(Ticks.record(base, base));
    TestTable table = new TestTable(cluster.connection(), "writes-within-scans");
    table.createPlain(null, "f");
    table.enable(TableSettings.ofPhoenix(base));
    FastTable fast = new FastTable(cluster, table, base);
    fast.put(ROW, "old");
    fast.put(ROW2, "old");
    HRegion region = fast.region();
    region.getCoprocessorHost().load(Deleting.class, 0, HBaseConfiguration.create());
    long start = ticks.next();
    Deleting.BEFORE.set(() -> table.send(fast.flush(start, ROW)));

    assertThatThrownBy(() -> TestTable.plainScan(cluster.connection(), table.name(), new Scan()))
        .hasStackTraceContaining("a transaction that has written here has not ended yet");

    table.send(new AbortLeader(start, base, ROW, F, false, Proofs.OPEN.grant(start, 0)));
    TestTable.plainScan(cluster.connection(), table.name(), new Scan());
    for (Bytes row : List.of(ROW, ROW2)) {
      assertThat(fast.snapshot(row, ticks.next())).isEmpty();
    }
  }

  /** Deletes a column of two rows behind each part of a scan, and ignores what becomes of it. */
  public static final class Deleting implements RegionCoprocessor, RegionObserver {

    static final AtomicReference<Callable<?>> BEFORE = new AtomicReference<>();

    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @Override
    public boolean postScannerNext(
        ObserverContext<RegionCoprocessorEnvironment> context,
        InternalScanner scanner,
        List<Result> result,
        int limit,
        boolean hasNext)
        throws IOException {
      Callable<?> before = BEFORE.getAndSet(null);
      if (before != null) {
        try {
          before.call();
        } catch (Exception e) {
          throw new IllegalStateException(e);
        }
      }
      context.getEnvironment().getRegion().batchMutate(new Mutation[] {delete(ROW), delete(ROW2)});
      return hasNext;
    }

    private static Delete delete(Bytes row) {
      return new Delete(row.toArray()).addColumns(F.toArray(), Q.toArray());
    }
  }
}
