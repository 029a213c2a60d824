package io.lampone.coprocessor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.hbase.KeptSchema;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.Phase;
import io.lampone.protocol.Timestamps;
import java.io.IOException;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/**
 * Changes of a table that were made from an earlier descriptor, under HBase's lock of the table.
 */
class TableGuardTest {

  private static final TableName NAME = TableName.valueOf("t");
  private static final long FLOOR = Timestamps.tick(1L << 60);

  private final TableGuard guard = new TableGuard();

  @Test
  void floorsThatAreLowerThanThoseOfAnotherChange_areRefused() throws IOException {
    TableDescriptor present = table(settings(FLOOR + Timestamps.TICK, FLOOR), "f");

    assertOutdated(() -> modify(present, table(settings(FLOOR, FLOOR), "f")));
    assertOutdated(() -> modify(present, table(settings(FLOOR + Timestamps.TICK, 0), "f")));
    modify(present, present);
    modify(present, table(settings(FLOOR + Timestamps.TICK, FLOOR + Timestamps.TICK), "f"));
  }

  @Test
  void aFamilyThatWasAddedMeanwhile_isNotRemovedByABeginningOrAnEnd() throws IOException {
    TableSettings enabled = settings(FLOOR, 0);
    TableDescriptor plain = plain("f", "added");
    TableDescriptor changing = table(enabled.in(Phase.CHANGING), "f", "added");

    assertOutdated(() -> modify(plain, table(enabled.in(Phase.CHANGING), "f")));
    assertOutdated(() -> modify(changing, table(enabled, "f")));
    assertOutdated(() -> modify(changing, plain("f")));
    modify(plain, changing);
    modify(changing, table(enabled, "f", "added", "another"));
  }

  /** A change that was prepared before the table became transactional. */
  @Test
  void aTransactionalTableDoesNotBecomeAPlainOneAtOnce() throws IOException {
    TableDescriptor enabled = table(settings(FLOOR, 0), "f");
    TableDescriptor unset =
        TableDescriptorBuilder.newBuilder(enabled).removeValue(TableSettings.PHASE_KEY).build();

    assertOutdated(() -> modify(enabled, plain("f")));
    assertOutdated(() -> modify(enabled, unset));
    modify(table(settings(FLOOR, 0).in(Phase.CHANGING), "f"), plain("f"));
  }

  @Test
  void aFamilyIsRemovedByAChangeOfFamilies() throws IOException {
    modify(plain("f", "g"), plain("f"));
    modify(table(settings(FLOOR, 0), "f", "g"), table(settings(FLOOR, 0), "f"));
  }

  /** No command of Lampone could use the table, nor end its transactions. */
  @Test
  void aNewTableWithSettingsThatCannotBeReadIsRefused() throws IOException {
    TableDescriptor readable = KeptSchema.withObserver(table(settings(FLOOR, 0), "f"));
    assertThat(create(readable)).isSameAs(readable);
    for (String key :
        new String[] {
          TableSettings.PHASE_KEY, TableSettings.LEVEL_KEY, TableSettings.FLOOR_KEY,
        }) {
      TableDescriptor bad =
          TableDescriptorBuilder.newBuilder(readable).setValue(key, "\u001b[2J").build();
      assertThatThrownBy(() -> create(bad))
          .as(key)
          .isInstanceOf(DoNotRetryIOException.class)
          .hasMessageContaining("settings cannot be read")
          .hasMessageContaining("table=t")
          .hasMessageNotContaining("\u001b");
    }
  }

  private TableDescriptor create(TableDescriptor table) throws IOException {
    return guard.preCreateTableRegionsInfos(null, table);
  }

  private void modify(TableDescriptor present, TableDescriptor table) throws IOException {
    guard.preModifyTableAction(null, NAME, present, table);
  }

  private static void assertOutdated(ThrowingCallable change) {
    assertThatThrownBy(change)
        .isInstanceOf(DoNotRetryIOException.class)
        .hasMessageContaining("changed by another client meanwhile")
        .hasMessageContaining("table=t");
  }

  private static TableSettings settings(long floor, long schemaFloor) {
    TableSettings settings = TableSettings.ofPhoenix(floor);
    return new TableSettings(
        settings.phase(),
        settings.level(),
        settings.floor(),
        settings.fastPath(),
        settings.plainClients(),
        schemaFloor);
  }

  private static TableDescriptor table(TableSettings settings, String... families) {
    return settings.applyTo(TableDescriptorBuilder.newBuilder(plain(families))).build();
  }

  private static TableDescriptor plain(String... families) {
    TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(NAME);
    for (String family : families) {
      table.setColumnFamily(ColumnFamilyDescriptorBuilder.of(family));
    }
    return table.build();
  }
}
