package io.lampone.coprocessor.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.lampone.hbase.TableRetention;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Timestamps;
import java.time.Duration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;

/** A table's own safe point. */
class TableRetentionTest {

  private static final long BASE = Timestamps.ceilingOfMillis(1_800_000_000_000L);
  private static final Duration HOUR = Duration.ofHours(1);

  @Test
  void aTableThatSaysNothingHasTheSafePointOfTheCluster() {
    TableRetention retention = TableRetention.of(table().build());
    assertThat(retention.safePoint(BASE)).isEqualTo(BASE);
    assertThat(retention.safePoint(0)).isZero();
    assertThat(retention.versionsOf(Bytes.utf8("f"))).isEqualTo(1);
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

  @Test
  void aFamilySaysHowManyVersionsItKeeps() {
    TableRetention retention = TableRetention.of(table("3").build());
    assertThat(retention.versionsOf(Bytes.utf8("f"))).isEqualTo(3);
    assertThat(retention.versionsOf(Bytes.utf8("g"))).isEqualTo(1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TableRetention.of(table("0").build()))
        .withMessageContaining("versions=0");
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
