package io.lampone.coprocessor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.hbase.CellLifetimes;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.Phase;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.trust.InspectionPass;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.visibility.VisibilityController;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** Maintenance where HBase hides cells by their labels, with a filter on each read. */
class LabelledTablesIT {

  private static final byte[] COLUMN = {'f'};

  /** A search for transactions does not: their cells have no labels. */
  @Test
  void maintenanceTakesTheRightToSeeEveryLabel() throws Exception {
    String labels = VisibilityController.class.getName();
    Map<String, String> settings =
        Map.of(
            "hbase.security.authorization",
            "true",
            "hbase.coprocessor.master.classes",
            labels,
            "hbase.coprocessor.region.classes",
            labels,
            "hbase.superuser",
            User.getCurrent().getShortName());
    try (TinyCluster cluster = new TinyCluster(10, settings);
        Connection reader = GuardedCluster.connectionOf(cluster, "reader")) {
      long base = cluster.ticks().next();
      cluster.publish(Ticks.record(base, base));
      TestTable table = new TestTable(cluster.connection(), "labelled");
      table.createPlain(null, "f");
      try (Table plain = cluster.connection().getTable(table.name())) {
        plain.put(new Put(COLUMN).addColumn(COLUMN, COLUMN, COLUMN));
      }
      table.enable(new TableSettings(Phase.CHANGING, ConflictLevel.ROW, base));
      Scan scan = new Scan().readAllVersions().setRaw(true);
      scan.setAttribute(TableSettings.MAINTENANCE_ATTRIBUTE, new byte[] {1});
      assertThat(TestTable.plainScan(cluster.connection(), table.name(), scan)).hasSize(1);
      assertThatThrownBy(() -> TestTable.plainScan(reader, table.name(), scan))
          .satisfies(failure -> assertThat(GuardedCluster.isDenied(failure)).isTrue());

      Scan ofTransactions = new Scan().addColumn(COLUMN, Reserved.TRANSACTION.toArray());
      ofTransactions.setAttribute(TableSettings.INSPECTION_ATTRIBUTE, InspectionPass.none());
      ofTransactions.setAttribute(ReadRequest.COMPLETE_ATTRIBUTE, new byte[] {1});
      assertThat(TestTable.plainScan(reader, table.name(), ofTransactions)).isEmpty();

      assertThatThrownBy(() -> rewrite(cluster, table.name()))
          .hasStackTraceContaining("superusers of HBase");
      assertThat(TestTable.plainScan(cluster.connection(), table.name(), scan))
          .singleElement(InstanceOfAssertFactories.list(Cell.class))
          .hasSize(1);
    }
  }

  /** Replaces the row by a labelled cell; HBase omits the put of a user who is no superuser. */
  private static void rewrite(TinyCluster cluster, TableName name) throws Exception {
    byte[] mark = {1};
    Tag label = new ArrayBackedTag(TagType.VISIBILITY_TAG_TYPE, mark);
    Put put = new Put(COLUMN);
    put.add(new KeyValue(COLUMN, COLUMN, COLUMN, 5, KeyValue.Type.Put, COLUMN, List.of(label)));
    Delete delete = new Delete(COLUMN);
    put.setAttribute(TableSettings.MAINTENANCE_ATTRIBUTE, mark);
    delete.setAttribute(TableSettings.MAINTENANCE_ATTRIBUTE, mark);
    Configuration tagged = CellLifetimes.showing(cluster.settings());
    User user = User.createUserForTesting(tagged, "reader", new String[0]);
    try (Connection connection = ConnectionFactory.createConnection(tagged, user);
        Table table = connection.getTable(name)) {
      table.batch(List.of(RowMutations.of(List.of(put, delete))), new Object[1]);
    }
  }
}
