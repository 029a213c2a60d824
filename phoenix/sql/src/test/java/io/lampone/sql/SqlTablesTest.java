package io.lampone.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.cli.check.Finding;
import io.lampone.cli.check.Finding.Level;
import io.lampone.hbase.KeptSchema;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Timestamps;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;

class SqlTablesTest {

  private static final String NAME = "S.T";
  private static final Map<String, Boolean> TRANSACTIONAL = Map.of(NAME, true);

  private static TableDescriptorBuilder plain() {
    return TableDescriptorBuilder.newBuilder(TableName.valueOf(NAME))
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("0"));
  }

  private static TableDescriptorBuilder ours() throws IOException {
    ColumnFamilyDescriptor family =
        KeptSchema.keeping(ColumnFamilyDescriptorBuilder.newBuilder("0".getBytes()));
    return TableSettings.ofPhoenix(Timestamps.PLAIN_LIMIT)
        .applyTo(
            TableDescriptorBuilder.newBuilder(
                KeptSchema.withObserver(plain().modifyColumnFamily(family).build())));
  }

  private static Finding only(TableDescriptorBuilder table, Map<String, Boolean> catalogue) {
    List<Finding> findings = SqlTables.judge(List.<TableDescriptor>of(table.build()), catalogue);
    assertThat(findings).hasSize(1);
    assertThat(findings.get(0).advice()).isNotEmpty();
    return findings.get(0);
  }

  @Test
  void tablesInOrderAreNotListed() throws IOException {
    assertThat(SqlTables.judge(List.of(ours().build()), TRANSACTIONAL)).isEmpty();
    assertThat(SqlTables.judge(List.of(plain().build()), Map.of(NAME, false))).isEmpty();
    assertThat(SqlTables.judge(List.of(plain().build()), Map.of())).isEmpty();
  }

  @Test
  void aTableOfOmidsIsToldWhateverTheCatalogueSays() throws IOException {
    for (String observer :
        List.of(
            "org.apache.phoenix.coprocessor.OmidTransactionalProcessor",
            "org.apache.omid.transaction.OmidSnapshotFilter")) {
      Finding finding = only(plain().setCoprocessor(observer), TRANSACTIONAL);
      assertThat(finding.level()).isEqualTo(Level.FAIL);
      assertThat(finding.line()).contains(NAME, "Omid");
    }
  }

  @Test
  void aTableThatIsPlainInHBaseOrInSqlOnlyIsTold() throws IOException {
    assertThat(only(plain(), TRANSACTIONAL))
        .matches(found -> found.level() == Level.FAIL && found.found().contains("plain table"));
    assertThat(only(ours(), Map.of(NAME, false)))
        .matches(found -> found.level() == Level.WARN && found.found().contains("plain in SQL"));
    assertThat(SqlTables.judge(List.of(), TRANSACTIONAL))
        .singleElement()
        .matches(found -> found.found().contains("HBase does not"));
  }

  @Test
  void aTableWhosePlainClientsAreOthersIsTold() throws IOException {
    assertThat(
            only(ours().setValue(TableSettings.PLAIN_CLIENTS_KEY, "REFUSED"), TRANSACTIONAL).line())
        .contains("REFUSED", "CREATE INDEX", "sql adopt " + NAME);
  }

  @Test
  void alteredFamiliesAreTold() throws IOException {
    for (ColumnFamilyDescriptorBuilder altered :
        List.of(
            ColumnFamilyDescriptorBuilder.newBuilder("0".getBytes()).setMaxVersions(1),
            ColumnFamilyDescriptorBuilder.newBuilder("0".getBytes())
                .setMaxVersions(Integer.MAX_VALUE)
                .setTimeToLive(60),
            ColumnFamilyDescriptorBuilder.newBuilder("0".getBytes())
                .setMaxVersions(Integer.MAX_VALUE)
                .setScope(1))) {
      assertThat(only(ours().modifyColumnFamily(altered.build()), TRANSACTIONAL))
          .matches(found -> found.level() == Level.FAIL && found.subject().equals(NAME));
    }
  }
}
