package io.lampone.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.time.SystemClock;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.ClusterMetricsBuilder;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionStatesCount;
import org.apache.hadoop.hbase.client.RegionStatesCount.RegionStatesCountBuilder;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;

/** Number of tables that HBase hides, on a cluster on which tables come and go. */
class HBaseProbeTest {

  private static final TableName HIDDEN = TableName.valueOf("hidden");
  private static final TableName SHOWN = TableName.valueOf("shown");

  private final List<TableName> tables = new ArrayList<>(List.of(HIDDEN, SHOWN));

  /** Changes the tables after the list. */
  private Runnable meanwhile = () -> {};

  @Test
  void aTableThatIsCreatedOrDroppedMeanwhileIsNotHidden() throws Exception {
    try (HBaseProbe probe = new HBaseProbe(connection(), SystemClock.INSTANCE)) {
      meanwhile = () -> tables.add(TableName.valueOf("new"));
      assertThat(probe.tables().hidden()).isEqualTo(1);
      tables.remove(TableName.valueOf("new"));
      meanwhile = () -> tables.remove(HIDDEN);
      assertThat(probe.tables().hidden()).isZero();
    }
  }

  private Connection connection() {
    Admin admin =
        fake(
            Admin.class,
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "listTableDescriptors" -> {
                    meanwhile.run();
                    yield List.of(TableDescriptorBuilder.newBuilder(SHOWN).build());
                  }
                  case "getClusterMetrics" -> counts();
                  default -> null;
                });
    return fake(
        Connection.class,
        (self, method, arguments) -> method.getName().equals("getAdmin") ? admin : null);
  }

  private ClusterMetrics counts() {
    Map<TableName, RegionStatesCount> counts = new HashMap<>();
    tables.forEach(table -> counts.put(table, new RegionStatesCountBuilder().build()));
    return ClusterMetricsBuilder.newBuilder().setTableRegionStatesCount(counts).build();
  }

  private static <T> T fake(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
