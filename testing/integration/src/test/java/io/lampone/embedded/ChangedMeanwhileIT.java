package io.lampone.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.LamponeAdmin;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tables changed concurrently by another administrator while they are enabled or disabled. */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ChangedMeanwhileIT {

  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] COLUMN = Bytes.toBytes("q");

  private final LamponeClient client;
  private final LamponeAdmin lampone;
  private final Connection connection;
  private final Admin hbase;

  ChangedMeanwhileIT(LamponeClient client, EmbeddedLampone cluster) throws IOException {
    this.client = client;
    this.lampone = client.admin();
    this.connection = ConnectionFactory.createConnection(cluster.configuration());
    this.hbase = connection.getAdmin();
  }

  @AfterAll
  void disconnect() throws IOException {
    connection.close();
  }

  @Test
  void aFamilyThatIsAddedWhileATableIsEnabledStays() throws Exception {
    TableName name = createPlain("altered_meanwhile");
    byte[] added = Bytes.toBytes("added");
    reportingOnce(
            "Closing to writers",
            () -> {
              hbase.addColumnFamily(name, ColumnFamilyDescriptorBuilder.of(added));
              Put put = new Put(Bytes.toBytes("row-1")).addColumn(added, COLUMN, 1_000, added);
              put.setAttribute(TableSettings.MAINTENANCE_ATTRIBUTE, COLUMN);
              try (Table table = connection.getTable(name)) {
                table.put(put);
              }
            })
        .enableTable(name, ConflictLevel.ROW);

    assertThat(client.<List<String>, RuntimeException>run(tx -> contents(tx, name)))
        .containsExactly("row-1=added");
    assertThat(hbase.getDescriptor(name).getColumnFamily(added).getMaxVersions())
        .isEqualTo(HConstants.ALL_VERSIONS);
  }

  /** Its families would be deleted, or what transactions have written would be shown raw. */
  @Test
  void aTableThatIsChangedWhileItIsCheckedIsNotClosed() throws Exception {
    TableName enabled = createPlain("enabled_meanwhile");
    LamponeAdmin late =
        reportingOnce(
            "Checking",
            () -> {
              lampone.enableTable(enabled, ConflictLevel.ROW);
              write(enabled, "meanwhile");
            });
    assertThatThrownBy(() -> late.enableTable(enabled, ConflictLevel.ROW))
        .hasMessageContaining("another program has changed the table meanwhile");
    assertThat(client.<List<String>, RuntimeException>run(tx -> contents(tx, enabled)))
        .containsExactly("row-1=meanwhile", "row-7=meanwhile");

    TableName altered = createPlain("altered_while_checked");
    byte[] added = Bytes.toBytes("added");
    LamponeAdmin disturbed =
        reportingOnce(
            "Checking",
            () -> hbase.addColumnFamily(altered, ColumnFamilyDescriptorBuilder.of(added)));
    assertThatThrownBy(() -> disturbed.enableTable(altered, ConflictLevel.ROW))
        .hasMessageContaining("do it again, table=altered_while_checked");
    assertThat(hbase.getDescriptor(altered).hasColumnFamily(added)).isTrue();
    lampone.enableTable(altered, ConflictLevel.ROW);
  }

  @Test
  void aTableThatIsOpenedWhileItIsDisabledKeepsItsObserver() throws Exception {
    TableName name = createPlain("opened_meanwhile");
    lampone.enableTable(name, ConflictLevel.ROW);
    write(name, "before");
    LamponeAdmin disturbed =
        reportingOnce(
            "Rewriting",
            () -> {
              lampone.enableTable(name, ConflictLevel.ROW);
              write(name, "meanwhile");
            });
    assertThatThrownBy(() -> disturbed.disableTable(name))
        .hasMessageContaining("another program has changed the table meanwhile")
        .hasMessageContaining("table=opened_meanwhile");

    assertThat(client.<List<String>, RuntimeException>run(tx -> contents(tx, name)))
        .containsExactly("row-1=meanwhile", "row-7=meanwhile");
    lampone.disableTable(name);
    assertThat(plainContents(name)).containsExactly("row-1=meanwhile", "row-7=meanwhile");
  }

  @Test
  void aTableWhoseDisablingWasBrokenOffIsNotOpenedAtAnotherLevel() throws Exception {
    TableName name = createPlain("another_level");
    lampone.enableTable(name, ConflictLevel.ROW);
    LamponeAdmin brokenOff =
        reportingOnce(
            "Closing to writers",
            () -> {
              throw new IOException("broken off");
            });
    assertThatThrownBy(() -> brokenOff.disableTable(name)).hasRootCauseMessage("broken off");

    assertThatThrownBy(() -> lampone.enableTable(name, ConflictLevel.CELL))
        .hasMessageContaining("finish 'table disable' first, or enable it at level=ROW");
    assertThat(TableSettings.of(hbase.getDescriptor(name)).orElseThrow().phase())
        .isEqualTo(TableSettings.Phase.CHANGING);
    lampone.enableTable(name, ConflictLevel.ROW);
    lampone.disableTable(name);
    lampone.enableTable(name, ConflictLevel.CELL);
  }

  /** A concurrent action of another administrator. */
  private interface Disturbance {
    void happen() throws IOException;
  }

  /** Returns an admin that runs the action when a step is done for the first time. */
  private LamponeAdmin reportingOnce(String after, Disturbance disturbance) {
    AtomicBoolean happened = new AtomicBoolean();
    return lampone.reportingTo(
        (step, done, total) -> {
          if (step.equals(after) && done == total && happened.compareAndSet(false, true)) {
            try {
              disturbance.happen();
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          }
        });
  }

  private TableName createPlain(String text) throws IOException {
    TableName name = TableName.valueOf(text);
    hbase.createTable(
        TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
            .build(),
        new byte[][] {Bytes.toBytes("row-5")});
    return name;
  }

  private void write(TableName name, String value) throws IOException {
    client.run(
        tx -> {
          for (String row : List.of("row-1", "row-7")) {
            tx.table(name)
                .put(new Put(Bytes.toBytes(row)).addColumn(FAMILY, COLUMN, Bytes.toBytes(value)));
          }
          return null;
        });
  }

  private static List<String> contents(Transaction tx, TableName name) throws IOException {
    return contents(tx.table(name));
  }

  private List<String> plainContents(TableName name) throws IOException {
    try (Table table = connection.getTable(name)) {
      return contents(table);
    }
  }

  private static List<String> contents(Table table) throws IOException {
    List<String> contents = new ArrayList<>();
    try (ResultScanner rows = table.getScanner(new Scan())) {
      for (Result row : rows) {
        for (Cell cell : row.rawCells()) {
          contents.add(
              Bytes.toString(CellUtil.cloneRow(cell))
                  + "="
                  + Bytes.toString(CellUtil.cloneValue(cell)));
        }
      }
    }
    return contents;
  }
}
