package io.lampone.embedded;

import static io.lampone.embedded.RunningCluster.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.LamponeClient;
import io.lampone.protocol.Compatibility;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.RegionRequest;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A client of the next version, and one of the version before, at this version's coprocessor. */
@ExtendWith(SharedCluster.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VersionStepIT {

  private static final TableName TABLE = TableName.valueOf("version-step");

  @Test
  void requestsOfAnotherVersionAreRefusedByNameAndChangeNothing(
      LamponeClient client, EmbeddedLampone cluster) throws IOException {
    client
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(TABLE)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                .build(),
            ConflictLevel.ROW);
    client.run(
        tx -> {
          tx.table(TABLE).put(new Put(bytes("r")).addColumn(bytes("f"), null, bytes("before")));
          return true;
        });
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        Table table = connection.getTable(TABLE)) {
      assertThatThrownBy(() -> write(table, Compatibility.REQUESTS + 1))
          .hasMessageContaining("MALFORMED")
          .hasMessageContaining("the other side is newer; upgrade this one first");
      assertThatThrownBy(() -> write(table, Compatibility.OLDEST_REQUESTS - 1))
          .hasMessageContaining("the other side is too old; upgrade it");
      assertThatThrownBy(() -> read(table, Compatibility.REQUESTS + 1))
          .hasMessageContaining("the other side is newer; upgrade this one first");
    }
    String value =
        client.run(
            tx ->
                new String(
                    tx.table(TABLE).get(new Get(bytes("r"))).getValue(bytes("f"), bytes(""))));
    assertThat(value).isEqualTo("before");
  }

  private static void write(Table table, int version) throws IOException {
    Put put = new Put(bytes("r")).addColumn(bytes("f"), null, bytes("after"));
    put.setAttribute(RegionRequest.ATTRIBUTE, new byte[] {(byte) version, 2, 3});
    table.checkAndMutate(
        CheckAndMutate.newBuilder(bytes("r")).ifNotExists(bytes("f"), bytes("x")).build(put));
  }

  private static void read(Table table, int version) throws IOException {
    Get get = new Get(bytes("r"));
    get.setAttribute(ReadRequest.ATTRIBUTE, new byte[] {(byte) version});
    table.get(get);
  }
}
