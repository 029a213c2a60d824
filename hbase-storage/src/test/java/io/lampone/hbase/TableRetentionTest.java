package io.lampone.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.Timestamps;
import java.time.Duration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;

/** A table's own safe point. */
final class TableRetentionTest {

  private static final byte[] F = {'f'};

  private static final long BASE = Timestamps.ceilingOfMillis(1_800_000_000_000L);
  private static final Duration HOUR = Duration.ofHours(1);

  @Test
  void aTableThatSaysNothingHasTheSafePointOfTheCluster() {
    TableRetention retention = TableRetention.of(table().build());
    assertThat(retention.safePoint(BASE)).isEqualTo(BASE);
    assertThat(retention.safePoint(0)).isZero();
    assertThat(retention.of(Bytes.utf8("f"))).isEqualTo(FamilyRetention.DEFAULT);
    assertThat(retention.isLimited()).isFalse();
  }

  @Test
  void aTableThatKeepsLongerFollowsTheClusterAtADistance() {
    TableRetention retention = keepingLonger(BASE);
    long later = BASE + 5 * HOUR.toNanos();
    assertThat(retention.safePoint(later)).isEqualTo(later - HOUR.toNanos());
    assertThat(retention.safePoint(0)).isZero();
  }

  /** What was collected before the table kept it longer is not there. */
  @Test
  void theSafePointNeverGoesBackWhenTheSettingsChange() {
    TableRetention retention = keepingLonger(BASE);
    assertThat(retention.safePoint(BASE - 256)).isEqualTo(BASE - 256);
    assertThat(retention.safePoint(BASE)).isEqualTo(BASE);
    assertThat(retention.safePoint(BASE + HOUR.toNanos() / 2)).isEqualTo(BASE);
    assertThat(retention.safePoint(BASE + 2 * HOUR.toNanos())).isEqualTo(BASE + HOUR.toNanos());
  }

  /** Whatever it says before and after, and whenever its regions hear of it. */
  @Test
  void whatIsKeptStaysWhenATableKeepsMoreOrLessAndWhatIsCollectedIsNotReadable() {
    long heard = BASE + HOUR.toNanos();
    for (int before = 0; before <= 4; before++) {
      for (long oldest : new long[] {0, BASE - 3 * HOUR.toNanos(), BASE, heard}) {
        TableDescriptor table =
            TableRetention.keepLonger(table(), HOUR.multipliedBy(before), oldest).build();
        for (int after = 0; after <= 4; after++) {
          TableDescriptor changed = TableRetention.changed(table, HOUR.multipliedBy(after), heard);
          for (long at = BASE; at <= heard; at += HOUR.toNanos() / 4) {
            assertThat(TableRetention.of(changed).safePoint(at))
                .as("before=%s oldest=%s after=%s", before, oldest, after)
                .isGreaterThanOrEqualTo(TableRetention.of(table).safePoint(at));
          }
          assertThat(TableRetention.of(changed).safePoint(heard))
              .isEqualTo(
                  Math.max(
                      TableRetention.of(table).safePoint(heard),
                      heard - HOUR.multipliedBy(after).toNanos()));
        }
      }
    }
  }

  /** Some regions have learnt of either change, and collected by the shorter retention. */
  @Test
  void afterTwoUnconfirmedChangesTheShorterRetentionCounts() {
    TableDescriptor table =
        TableRetention.keepLonger(table(), HOUR.multipliedBy(5), BASE - HOUR.toNanos()).build();
    long heard = BASE + 10 * HOUR.toNanos();
    table = TableRetention.changed(table, HOUR.multipliedBy(10), heard);
    table = TableRetention.changed(table, HOUR, heard);
    table = TableRetention.changed(table, HOUR.multipliedBy(10), heard + 2 * HOUR.toNanos());
    assertThat(TableRetention.of(table).oldest()).isEqualTo(heard + HOUR.toNanos());
    table = TableRetention.changed(table, HOUR.multipliedBy(10), heard + 3 * HOUR.toNanos());
    assertThat(TableRetention.of(table).oldest()).isEqualTo(heard + 2 * HOUR.toNanos());
  }

  @Test
  void ofATableThatIsFilledAnewNothingIsBelieved() {
    TableDescriptor table = TableRetention.keepLonger(table(), HOUR, BASE - HOUR.toNanos()).build();
    assertThat(TableRetention.of(TableRetention.renewed(table, BASE)))
        .isEqualTo(keepingLonger(BASE));
    assertThat(TableRetention.renewed(table().build(), BASE)).isEqualTo(table().build());
  }

  @Test
  void aFamilySaysHowManyVersionsItKeeps() {
    TableRetention retention = TableRetention.of(table("3").build());
    assertThat(retention.of(Bytes.utf8("f")).versions()).isEqualTo(3);
    assertThat(retention.of(Bytes.utf8("g"))).isEqualTo(FamilyRetention.DEFAULT);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TableRetention.of(table("0").build()))
        .withMessageContaining("versions=0");
  }

  @Test
  void whatAFamilySaysToHBaseOfAgeAndVersionsBecomesOurs() {
    ColumnFamilyDescriptor family =
        ColumnFamilyDescriptorBuilder.newBuilder(F)
            .setTimeToLive(60)
            .setMaxVersions(3)
            .setMinVersions(2)
            .build();
    assertThat(of(TableRetention.translated(family))).isEqualTo(new FamilyRetention(3, 2, 60_000));
    // What is said in ours stays; and all versions is what HBase keeps of an enabled table.
    ColumnFamilyDescriptor again =
        TableRetention.translated(family).setMaxVersions(HConstants.ALL_VERSIONS).build();
    assertThat(of(TableRetention.translated(again).setTimeToLive(5)))
        .isEqualTo(new FamilyRetention(3, 2, 60_000));
    ColumnFamilyDescriptor enabledBefore =
        ColumnFamilyDescriptorBuilder.newBuilder(F).setMaxVersions(HConstants.ALL_VERSIONS).build();
    assertThat(of(TableRetention.translated(enabledBefore))).isEqualTo(FamilyRetention.DEFAULT);
  }

  @Test
  void aFamilyExpiresAfterWhatItIsToldLast() {
    ColumnFamilyDescriptor family = ColumnFamilyDescriptorBuilder.of("f");
    ColumnFamilyDescriptor hour = TableRetention.expiring(family, HOUR).build();
    assertThat(of(TableRetention.expiring(family, HOUR)).lifetimeMillis())
        .isEqualTo(HOUR.toMillis());
    assertThat(of(TableRetention.expiring(hour, Duration.ZERO))).isEqualTo(FamilyRetention.DEFAULT);
  }

  private static FamilyRetention of(ColumnFamilyDescriptorBuilder family) {
    TableDescriptorBuilder table = table().modifyColumnFamily(family.build());
    return TableRetention.of(table.build()).of(Bytes.wrap(F));
  }

  private static TableRetention keepingLonger(long from) {
    return TableRetention.of(TableRetention.keepLonger(table(), HOUR, from).build());
  }

  private static TableDescriptorBuilder table() {
    return TableDescriptorBuilder.newBuilder(TableName.valueOf("t"))
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"));
  }

  private static TableDescriptorBuilder table(String versions) {
    return table()
        .modifyColumnFamily(
            ColumnFamilyDescriptorBuilder.newBuilder(
                    org.apache.hadoop.hbase.util.Bytes.toBytes("f"))
                .setValue(TableRetention.VERSIONS_KEY, versions)
                .build());
  }
}
