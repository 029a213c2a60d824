package io.lampone.client.hbase.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.hbase.SchemaObstacles;
import io.lampone.hbase.TableRetention;
import io.lampone.protocol.FamilyRetention;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;

/** Which tables cannot be made transactional, and what becomes of the others. */
class SchemaRulesTest {

  private static final byte[] FAMILY = {'f'};

  @Test
  void tablesOfHBasesOwnAreRefused() {
    for (String name : new String[] {"hbase:meta", "hbase:acl"}) {
      assertThatThrownBy(() -> SchemaRules.check(table(name)))
          .hasMessageContaining("HBase's own")
          .hasMessageContaining("table=" + name);
    }
    assertThat(SchemaObstacles.of(table("meta"))).isEmpty();
    assertThat(SchemaObstacles.of(table("hbase_:meta"))).isEmpty();
  }

  @Test
  void allVersionsIsAWishOfATableThatWasNotTransactional() {
    TableDescriptor plain = table(family().setMaxVersions(HConstants.ALL_VERSIONS));
    TableDescriptor adopted = SchemaRules.kept(plain, true);
    assertThat(retention(adopted)).isEqualTo(new FamilyRetention(Integer.MAX_VALUE, 0, 0));
    assertThat(SchemaRules.restored(adopted).getColumnFamily(FAMILY).getMaxVersions())
        .isEqualTo(HConstants.ALL_VERSIONS);
    assertThat(SchemaRules.corrections(plain))
        .containsExactly(
            "family=f VERSIONS=2147483647 becomes lampone.versions=2147483647: all versions are kept"
                + " for ever, and shown; for fewer say lampone.versions before");

    TableDescriptor fewer =
        table(
            family()
                .setMaxVersions(HConstants.ALL_VERSIONS)
                .setValue(TableRetention.VERSIONS_KEY, "2"));
    assertThat(retention(SchemaRules.kept(fewer, true))).isEqualTo(new FamilyRetention(2, 0, 0));
    assertThat(SchemaRules.corrections(fewer)).isEmpty();

    // Enabling may have been broken off when everything was kept already.
    TableDescriptor begun = SchemaRules.kept(table(family()), true);
    assertThat(begun.getColumnFamily(FAMILY).getMaxVersions()).isEqualTo(HConstants.ALL_VERSIONS);
    assertThat(SchemaRules.kept(begun, true)).isEqualTo(begun);
    assertThat(retention(begun)).isEqualTo(FamilyRetention.DEFAULT);
    assertThat(SchemaRules.corrections(begun)).isEmpty();
  }

  /** It has counted for nothing, and values that nobody misses must not begin to expire. */
  @Test
  void whatATransactionalTableSaysToHBaseOfAgeAndVersionsDoesNotBecomeOurs() {
    TableDescriptor altered = table(family().setTimeToLive(60).setMinVersions(1).setMaxVersions(2));
    for (TableDescriptor kept :
        List.of(SchemaRules.kept(altered, false), SchemaRules.restorable(altered))) {
      assertThat(retention(kept)).isEqualTo(FamilyRetention.DEFAULT);
      ColumnFamilyDescriptor family = kept.getColumnFamily(FAMILY);
      assertThat(family.getTimeToLive()).isEqualTo(HConstants.FOREVER);
      assertThat(family.getMinVersions()).isZero();
      assertThat(family.getMaxVersions()).isEqualTo(HConstants.ALL_VERSIONS);
    }
    TableDescriptor ours =
        table(family().setTimeToLive(60).setValue(TableRetention.TTL_KEY, "90000"));
    assertThat(retention(SchemaRules.kept(ours, false)))
        .isEqualTo(new FamilyRetention(1, 0, 90_000));
  }

  @Test
  void whatAnotherTableHasBeenAlteredToDoesNotKeepItFromBeingRestored() throws IOException {
    TableDescriptor altered =
        TableDescriptorBuilder.newBuilder(
                table(family().setScope(1).setMobEnabled(true).setMobThreshold(0)))
            .setRegionReplication(3)
            .build();
    assertThat(SchemaObstacles.of(altered)).hasSize(3);
    SchemaRules.check(SchemaRules.restorable(altered));
  }

  @Test
  void newVersionBehaviorStandsAgainstATableThatHoldsSomething() throws IOException {
    TableDescriptor table = table(family().setNewVersionBehavior(true));
    assertThatThrownBy(() -> SchemaRules.checkAdoptable(table))
        .hasMessageContaining("NEW_VERSION_BEHAVIOR")
        .hasMessageContaining("table=t family=f");
    SchemaRules.checkAdoptable(table(family()));
    // One that is created says so again when it becomes plain.
    SchemaRules.check(table);
    TableDescriptor adopted = SchemaRules.adopted(table);
    assertThat(adopted.getColumnFamily(FAMILY).isNewVersionBehavior()).isFalse();
    assertThat(SchemaRules.restored(adopted).getColumnFamily(FAMILY).isNewVersionBehavior())
        .isTrue();
  }

  private static FamilyRetention retention(TableDescriptor table) {
    return TableRetention.of(table).of(io.lampone.protocol.Bytes.of(FAMILY));
  }

  private static ColumnFamilyDescriptorBuilder family() {
    return ColumnFamilyDescriptorBuilder.newBuilder(FAMILY);
  }

  private static TableDescriptor table(ColumnFamilyDescriptorBuilder family) {
    return TableDescriptorBuilder.newBuilder(TableName.valueOf("t"))
        .setColumnFamily(family.build())
        .build();
  }

  private static TableDescriptor table(String name) {
    return TableDescriptorBuilder.newBuilder(TableName.valueOf(name))
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
        .build();
  }
}
