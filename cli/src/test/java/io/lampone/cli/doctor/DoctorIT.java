package io.lampone.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.client.TransactionOutcome;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Proofs;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DoctorIT {

  private static final TableName NAME = TableName.valueOf("busy");
  private static final byte[] FAMILY = {'f'};

  @TempDir private Path folder;

  /** A table is read for longer than the transaction manager's bound is ahead. */
  @Test
  void whatIsCommittedWhileItLooksIsNotImpossible() throws Exception {
    List<DoctorFinding> findings = new ArrayList<>();
    try (EmbeddedLampone cluster =
            EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder.resolve("data")).build());
        LamponeClient client = LamponeClient.connect(cluster.configuration());
        Connection hbase = ConnectionFactory.createConnection(cluster.configuration())) {
      client
          .admin()
          .createTable(
              TableDescriptorBuilder.newBuilder(NAME)
                  .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                  .build(),
              ConflictLevel.ROW);
      long begin = now(client);
      Doctor doctor =
          new Doctor(
              hbase, Doctor.OPEN, () -> now(client), new Doctor.Limits(begin, 0), findings::add);
      client.run(
          TransactionOptions.DEFAULT,
          tx -> {
            tx.table(NAME).put(new Put(FAMILY).addColumn(FAMILY, FAMILY, FAMILY));
            return null;
          });
      doctor.examine(NAME);
      assertThat(doctor.rows()).isEqualTo(1);
      assertThat(findings).isEmpty();
    }
  }

  /** The other tables are read even if one with commit entries is unreadable. */
  @Test
  void aTableThatIsDisabledInHBaseIsToldAndTheOthersAreLookedAt() throws Exception {
    TableName off = NAME;
    TableName other = TableName.valueOf("other");
    List<DoctorFinding> findings = new ArrayList<>();
    try (EmbeddedLampone cluster =
            EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder.resolve("off")).build());
        LamponeClient client = LamponeClient.connect(cluster.configuration());
        Connection hbase = ConnectionFactory.createConnection(cluster.configuration())) {
      for (TableName name : List.of(off, other)) {
        client
            .admin()
            .createTable(
                TableDescriptorBuilder.newBuilder(name)
                    .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                    .build(),
                ConflictLevel.ROW);
      }
      try (Transaction undecided = client.begin()) {
        writeAndSend(undecided, off, other); // the commit entry into the first
        hbase.getAdmin().disableTable(off);

        Doctor doctor =
            new Doctor(
                hbase,
                Doctor.OPEN,
                () -> now(client),
                new Doctor.Limits(now(client), 0),
                findings::add);
        doctor.examine(other);
        assertThat(doctor.rows()).isEqualTo(1);
        assertThat(findings)
            .filteredOn(finding -> finding.ailment() == Ailment.DISABLED_TABLE)
            .extracting(DoctorFinding::table)
            .containsExactly("busy");
        findings.clear();
        doctor.examine(off);
        assertThat(findings)
            .extracting(DoctorFinding::ailment)
            .containsExactly(Ailment.DISABLED_TABLE);
        hbase.getAdmin().enableTable(off);
      }
    }
  }

  /** The client died between its validation and the check of its reads. */
  @Test
  void fixAbortsAnAssignedTransactionThatHasLostItsClient() throws Exception {
    TableName other = TableName.valueOf("followers");
    List<DoctorFinding> findings = new ArrayList<>();
    try (EmbeddedLampone cluster =
            EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder.resolve("assigned")).build());
        LamponeClient client = LamponeClient.connect(cluster.configuration());
        LamponeClient owner = LamponeClient.connect(cluster.configuration());
        Connection hbase = ConnectionFactory.createConnection(cluster.configuration())) {
      for (TableName name : List.of(NAME, other)) {
        client
            .admin()
            .createTable(
                TableDescriptorBuilder.newBuilder(name)
                    .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                    .build(),
                ConflictLevel.ROW);
      }
      try (Transaction dead = owner.begin()) {
        writeAndSend(dead, NAME, other);
        assign(cluster, dead.startTimestamp());
        Doctor doctor =
            new Doctor(
                hbase,
                Doctor.OPEN,
                () -> now(client),
                new Doctor.Limits(now(client), 0),
                findings::add);
        doctor.examine(other);
        assertThat(findings).extracting(DoctorFinding::ailment).containsExactly(Ailment.OLD_INTENT);
        TransactionId id = findings.get(0).transaction().orElseThrow();
        assertThat(client.status(id)).isInstanceOf(TransactionOutcome.Running.class);

        String became = new Treatment(hbase, Doctor.OPEN, client, 0).of(findings.get(0));

        assertThat(became).startsWith("settled: Aborted");
        assertThat(client.status(id)).isInstanceOf(TransactionOutcome.Aborted.class);
        await()
            .atMost(2, TimeUnit.MINUTES)
            .untilAsserted(() -> assertThat(cluster.pendingIntents(other)).isEmpty());
        assertThatThrownBy(dead::commit).hasMessageStartingWith("LP-1");
      }
      try (Transaction reader = client.readOnly()) {
        assertThat(reader.table(NAME).get(new Get(NAME.getName())).isEmpty()).isTrue();
        assertThat(reader.table(other).get(new Get(other.getName())).isEmpty()).isTrue();
      }
    }
  }

  /** Requests a commit timestamp, as a serializable client with reads does. */
  private static void assign(EmbeddedLampone cluster, long start) throws Exception {
    try (TransactionManagerClient manager =
        TransactionManagerClient.connect(
            TransactionManagerClientConfig.builder().build(),
            cluster.hbase().zooKeeperConnectString(),
            ManagerRecord.DEFAULT_PARENT)) {
      long[] none = {};
      Validation answer =
          manager
              .validate(
                  new Validator.Request(start, Proofs.OPEN.grant(start, 0), true, none, none, true))
              .get(30, TimeUnit.SECONDS);
      assertThat(answer).isInstanceOf(Validation.Assigned.class);
    }
  }

  private static void writeAndSend(Transaction tx, TableName... names) throws IOException {
    for (TableName name : names) {
      tx.table(name).put(new Put(name.getName()).addColumn(FAMILY, FAMILY, FAMILY));
    }
    for (TableName name : names) {
      try (ResultScanner rows = tx.table(name).getScanner(new Scan())) {
        assertThat(rows.next()).isNotNull();
      }
    }
  }

  private static long now(LamponeClient client) throws IOException {
    try (Transaction tx = client.readOnly()) {
      return tx.startTimestamp();
    }
  }
}
