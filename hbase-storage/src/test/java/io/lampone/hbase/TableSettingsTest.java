package io.lampone.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.hbase.TableSettings.Phase;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.ConflictLevel;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TableSettingsTest {

  private static final long FLOOR = 1L << 60;

  @ParameterizedTest
  @ValueSource(strings = {"true", "false"})
  void aTableSaysAgainWhatItSaidOfExpiredFilesBefore(String said) {
    TableDescriptor plain =
        builder(plain()).setValue(TableSettings.DELETE_EXPIRED_FILES_KEY, said).build();

    TableDescriptor transactional = enabled(plain);

    assertThat(transactional.getValue(TableSettings.DELETE_EXPIRED_FILES_KEY)).isEqualTo("false");
    assertThat(TableSettings.removeFrom(builder(transactional)).build()).isEqualTo(plain);
  }

  @Test
  void aTableThatSaidNothingSaysNothingAgain() {
    TableDescriptor transactional = enabled(plain());

    assertThat(transactional.getValue(TableSettings.DELETE_EXPIRED_FILES_KEY)).isEqualTo("false");
    assertThat(TableSettings.removeFrom(builder(transactional)).build()).isEqualTo(plain());
  }

  /** It is made like the exported one, without its settings, and gets them when it is filled. */
  @Test
  void aRestoredTableSaysWhatTheExportedOneSaidBeforeItWasEnabled() {
    TableDescriptor saidNothing = plain();
    TableDescriptor saidTrue =
        builder(plain()).setValue(TableSettings.DELETE_EXPIRED_FILES_KEY, "true").build();
    for (TableDescriptor before : List.of(saidNothing, saidTrue)) {
      TableDescriptor made =
          builder(enabled(before))
              .removeValue(TableSettings.PHASE_KEY)
              .removeValue(TableSettings.LEVEL_KEY)
              .removeValue(TableSettings.FLOOR_KEY)
              .setValue(TableSettings.RESTORING_KEY, "backup")
              .build();
      TableDescriptor restored =
          builder(enabled(made)).removeValue(TableSettings.RESTORING_KEY).build();
      assertThat(TableSettings.removeFrom(builder(restored)).build()).isEqualTo(before);
    }
  }

  @Test
  void settingsAreReadAsTheyWereWritten() {
    assertThat(TableSettings.of(plain())).isEmpty();
    assertThat(TableSettings.of(enabled(plain())))
        .contains(new TableSettings(Phase.ENABLED, ConflictLevel.CELL, FLOOR));
  }

  @Test
  void theSchemaFloorStays_untilTheTableIsPlainAgain() {
    TableSettings settings =
        new TableSettings(
            Phase.ENABLED, ConflictLevel.ROW, FLOOR, true, PlainClients.PHOENIX, FLOOR + 256);
    TableDescriptor raised = settings.applyTo(builder(plain())).build();
    assertThat(TableSettings.of(raised)).contains(settings);
    assertThat(TableSettings.of(enabled(raised)).orElseThrow().schemaFloor())
        .isEqualTo(FLOOR + 256);
    assertThat(TableSettings.removeFrom(builder(raised)).build()).isEqualTo(plain());
    TableDescriptor bad = builder(raised).setValue(TableSettings.SCHEMA_FLOOR_KEY, "12").build();
    assertThatThrownBy(() -> TableSettings.of(bad))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("schemaFloor=12");
  }

  /** Such values are printed to terminals, and another program may have written them. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        TableSettings.PHASE_KEY,
        TableSettings.LEVEL_KEY,
        TableSettings.FLOOR_KEY,
        TableSettings.SCHEMA_FLOOR_KEY,
        TableSettings.PLAIN_CLIENTS_KEY
      })
  void aValueThatCannotBeReadIsShownWithoutItsControlCharacters(String key) {
    TableDescriptor bad = builder(enabled(plain())).setValue(key, "\u001b[2J\u009b\nx").build();
    assertThatThrownBy(() -> TableSettings.of(bad))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(key)
        .hasMessageContaining("\\x1B[2J\\xC2\\x9B\\x0Ax")
        .hasNoCause();
  }

  /** In two steps, as it is done. */
  private static TableDescriptor enabled(TableDescriptor plain) {
    TableSettings settings = new TableSettings(Phase.CHANGING, ConflictLevel.CELL, FLOOR);
    TableDescriptor changing = settings.applyTo(builder(plain)).build();
    return settings.in(Phase.ENABLED).applyTo(builder(changing)).build();
  }

  private static TableDescriptor plain() {
    return TableDescriptorBuilder.newBuilder(TableName.valueOf("t"))
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
        .build();
  }

  private static TableDescriptorBuilder builder(TableDescriptor table) {
    return TableDescriptorBuilder.newBuilder(table);
  }
}
