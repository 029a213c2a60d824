package io.lampone.client.hbase;

import io.lampone.hbase.TableSettings;
import java.io.IOException;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/** What the steps of a change make of a table's descriptor. */
final class TableChanges {

  private TableChanges() {}

  /** The table as a plain one. */
  static TableDescriptor plain(TableDescriptor table) {
    TableDescriptorBuilder plain = TableDescriptorBuilder.newBuilder(SchemaRules.restored(table));
    return TableSettings.removeFrom(plain).removeCoprocessor(TableSettings.COPROCESSOR).build();
  }

  /** The table with these settings, and the observer. */
  static TableDescriptor withObserver(TableDescriptor table, TableSettings settings)
      throws IOException {
    TableDescriptorBuilder changed = TableDescriptorBuilder.newBuilder(table);
    if (!table.hasCoprocessor(TableSettings.COPROCESSOR)) {
      changed.setCoprocessor(
          CoprocessorDescriptorBuilder.newBuilder(TableSettings.COPROCESSOR)
              .setPriority(TableSettings.COPROCESSOR_PRIORITY)
              .build());
    }
    return settings.applyTo(changed).build();
  }
}
