package io.lampone.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EmbeddedLamponeIT {

  @TempDir private Path folder;

  @Test
  void theManagerAnswersUntilItIsClosedAndAgainAfterARestart() throws IOException {
    EmbeddedHBaseConfig config = EmbeddedHBaseConfig.builder(folder).build();
    String first;
    try (EmbeddedLampone lampone = EmbeddedLampone.start(config)) {
      first = lampone.managerAddress();
      assertThat(answers(first)).isTrue();
      assertThatThrownBy(() -> EmbeddedLampone.start(config))
          .isInstanceOfSatisfying(
              EmbeddedStartException.class,
              e ->
                  assertThat(e.reason())
                      .isEqualTo(EmbeddedStartException.Reason.DATA_DIRECTORY_IN_USE));
      assertThat(answers(first)).isTrue();
    }
    assertThat(answers(first)).isFalse();
    try (EmbeddedLampone lampone = EmbeddedLampone.start(config)) {
      assertThat(answers(lampone.managerAddress())).isTrue();
    }
  }

  @Test
  void clientsElsewhereNeedFewSettings() throws IOException {
    try (EmbeddedLampone lampone =
        EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder).regionServers(1).build())) {
      Configuration few = lampone.clientConfiguration();
      assertThat(few.size()).isLessThan(6);
      assertThat(
              few.get("hbase.zookeeper.quorum")
                  + ":"
                  + few.get("hbase.zookeeper.property.clientPort"))
          .isEqualTo(lampone.hbase().zooKeeperConnectString());
    }
  }

  @Test
  void whatTheManagerAnswersIsCounted() throws IOException {
    try (EmbeddedLampone lampone =
            EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder).regionServers(1).build());
        LamponeClient client = LamponeClient.connect(lampone.configuration())) {
      TableName table = TableName.valueOf("counted");
      client
          .admin()
          .createTable(
              TableDescriptorBuilder.newBuilder(table)
                  .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                  .build(),
              ConflictLevel.ROW);
      ManagerAnswers before = lampone.managerAnswers();
      try (Transaction tx = client.begin(TransactionOptions.DEFAULT.withoutOneRegionCommit())) {
        tx.table(table).put(new Put(new byte[] {1}).addColumn(new byte[] {'f'}, null, null));
        tx.commit();
      }
      ManagerAnswers committed = lampone.managerAnswers();
      assertThat(committed.timestamps()).isGreaterThan(before.timestamps());
      assertThat(committed.validations()).isEqualTo(before.validations() + 1);
      assertThat(committed.statuses()).isEqualTo(before.statuses());
    }
  }

  private static boolean answers(String address) {
    int colon = address.lastIndexOf(':');
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(
              address.substring(0, colon), Integer.parseInt(address.substring(colon + 1))),
          1_000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
