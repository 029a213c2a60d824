package io.lampone.coprocessor.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.coprocessor.OpenRegion;
import io.lampone.coprocessor.Permissions;
import io.lampone.coprocessor.core.FastServer;
import io.lampone.coprocessor.core.fastpath.FastAttempt;
import io.lampone.coprocessor.core.intent.MemoryRow;
import io.lampone.coprocessor.server.CoprocessorChain;
import io.lampone.coprocessor.server.StoppedServer;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.FastWrite;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.MemStoreLAB;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A write of the fast path between its decision and its end, in a region without a server. */
class FastBatchTest {

  private static final TableName TABLE = TableName.valueOf("t");

  private final FastServer drawing = new FastServer(ConflictLevel.ROW);
  private final MemoryRow row = new MemoryRow();

  @TempDir private Path folder;

  /** HBase makes its cells visible afterwards; until then readers above its version wait. */
  @Test
  void aWriteThatHasBeenDecidedIsStillUnderWay() throws Exception {
    HRegion region = region();
    try (StoppedServer server = new StoppedServer()) {
      OpenRegion open = new OpenRegion(environment(region), server.context());
      FastWrite write =
          new FastWrite(
              0, 0, false, List.of(drawing.blind(row, FastServer.put(Bytes.utf8("q"), "v"))));
      FastAttempt attempt = drawing.attempt(write);
      Permissions permissions = Permissions.ofPlain(open, new CoprocessorChain(open));
      FastBatch batch = new FastBatch(write, List.of(row.key()), attempt, open, permissions);

      batch.decide();

      assertThat(batch.reply().outcomes())
          .extracting(FastReply.Outcome::kind)
          .containsExactly(FastReply.Kind.COMMITTED);
      assertThat(isUnderWay()).isTrue();
      attempt.end();
      assertThat(isUnderWay()).isFalse();
    } finally {
      region.close();
    }
  }

  private boolean isUnderWay() {
    return !drawing.region.inFlight().isRowClear(row.key(), Long.MAX_VALUE);
  }

  private HRegion region() throws IOException {
    Configuration configuration = HBaseConfiguration.create();
    configuration.set(HConstants.HBASE_DIR, folder.toUri().toString());
    configuration.setBoolean(MemStoreLAB.USEMSLAB_KEY, false);
    TableDescriptor table =
        TableDescriptorBuilder.newBuilder(TABLE)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(MemoryRow.F.toArray()))
            .build();
    HRegion region =
        HRegion.createHRegion(
            RegionInfoBuilder.newBuilder(TABLE).build(),
            new org.apache.hadoop.fs.Path(folder.toUri()),
            configuration,
            table,
            null);
    region.setCoprocessorHost(new RegionCoprocessorHost(region, null, configuration));
    return region;
  }

  private static RegionCoprocessorEnvironment environment(HRegion region) {
    return (RegionCoprocessorEnvironment)
        Proxy.newProxyInstance(
            FastBatchTest.class.getClassLoader(),
            new Class<?>[] {RegionCoprocessorEnvironment.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "getRegion" -> region;
                  case "getRegionInfo" -> region.getRegionInfo();
                  case "getConfiguration" -> HBaseConfiguration.create();
                  default -> null;
                });
  }
}
