package io.lampone.client.hbase.admin;

import io.lampone.client.LamponeAdmin.TransactionalTable;
import io.lampone.client.LamponeAdmin.UnreadableTable;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.Phase;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.TableDescriptor;

/** Descriptors of all tables; an unreadable one does not hide the others. */
record TableList(List<TransactionalTable> sound, List<UnreadableTable> unreadable) {

  TableList {
    sound = List.copyOf(sound);
    unreadable = List.copyOf(unreadable);
  }

  static TableList of(List<TableDescriptor> tables) {
    List<TransactionalTable> sound = new ArrayList<>();
    List<UnreadableTable> unreadable = new ArrayList<>();
    for (TableDescriptor table : tables) {
      try {
        TableSettings.of(table)
            .ifPresent(
                settings ->
                    sound.add(
                        new TransactionalTable(
                            table.getTableName(),
                            settings.level(),
                            settings.phase() == Phase.CHANGING,
                            table.getValue(TableSettings.RESTORING_KEY) != null)));
      } catch (IllegalArgumentException e) {
        unreadable.add(new UnreadableTable(table.getTableName(), String.valueOf(e.getMessage())));
      }
    }
    return new TableList(sound, unreadable);
  }

  /**
   * Requires all tables, for work that must leave none out.
   *
   * @throws LamponeException if a table cannot be read
   */
  void requireReadable() throws LamponeException {
    if (!unreadable.isEmpty()) {
      throw new LamponeException(
          Code.BAD_REQUEST,
          0,
          "the settings of another table cannot be read, and it may hold intents that are decided"
              + " here: mend or drop that one first, table="
              + unreadable.get(0).name()
              + " why="
              + unreadable.get(0).why());
    }
  }
}
