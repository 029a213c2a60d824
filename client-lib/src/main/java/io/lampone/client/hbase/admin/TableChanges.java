package io.lampone.client.hbase.admin;

import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.hbase.KeptSchema;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.Phase;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/** Changes of a table's descriptor in the steps of a change. */
final class TableChanges {

  private TableChanges() {}

  /** Returns the failure of a change that is not made. */
  static LamponeException refused(String why) {
    return new LamponeException(Code.BAD_REQUEST, 0, why);
  }

  /**
   * Returns the table.
   *
   * @throws LamponeException if it is a plain one
   */
  static TableDescriptor transactional(TableDescriptor table) throws IOException {
    if (TableSettings.of(table).isEmpty()) {
      throw refused("table is not transactional: enable it first, table=" + table.getTableName());
    }
    return table;
  }

  /** Returns the table as a plain one. */
  static TableDescriptor plain(TableDescriptor table) {
    TableDescriptorBuilder plain = TableDescriptorBuilder.newBuilder(SchemaRules.restored(table));
    return TableSettings.removeFrom(plain).removeCoprocessor(TableSettings.COPROCESSOR).build();
  }

  /** Returns the table with these settings, and the observer. */
  static TableDescriptor withObserver(TableDescriptor table, TableSettings settings)
      throws IOException {
    return settings
        .applyTo(TableDescriptorBuilder.newBuilder(KeptSchema.withObserver(table)))
        .build();
  }

  /**
   * Returns the present table before the last step of a change, with concurrent alterations of it.
   *
   * @param closed settings with which the change closed it
   * @throws LamponeException if it was opened since, or is being changed, concurrently
   */
  static TableDescriptor stillClosed(TableDescriptor table, TableSettings closed)
      throws IOException {
    Optional<TableSettings> now = TableSettings.of(table);
    if (now.isEmpty()
        || now.get().phase() != Phase.CHANGING
        || now.get().floor() != closed.floor()) {
      throw refused(
          "another program has changed the table meanwhile, so the change is not ended: look at"
              + " 'table list', and do it again, table="
              + table.getTableName());
    }
    return table;
  }

  /**
   * Checks that a table is as it was read before a step that writes its whole descriptor.
   *
   * @throws LamponeException if it was changed since
   */
  static void requireSame(TableDescriptor read, TableDescriptor now) throws LamponeException {
    if (!now.equals(read)) {
      throw refused(
          "another program has changed the table meanwhile: do it again, table="
              + now.getTableName());
    }
  }

  /**
   * Returns the failure to disable a table that has the observer and no settings, and to which
   * transactions may have written before those were lost.
   *
   * @param floor fresh timestamp
   */
  static LamponeException lostSettings(TableName table, long floor, LamponeException cause) {
    return new LamponeException(
        Code.BAD_REQUEST,
        0,
        "the table has lost its settings, and may hold what transactions wrote, undecided cells"
            + " too. Unless others wrote that, in the HBase shell: alter '"
            + table
            + "', METADATA => {'lampone.phase' => 'CHANGING', 'lampone.level' => 'ROW',"
            + " 'lampone.floor' => '"
            + floor
            + "'}; then disable it again, table="
            + table,
        cause);
  }
}
