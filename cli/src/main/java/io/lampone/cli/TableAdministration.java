package io.lampone.cli;

import io.lampone.cli.shell.Database;
import io.lampone.client.LamponeAdmin;
import io.lampone.client.LamponeAdmin.TransactionalTable;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/** Table operations shared by the commands and the shell. */
public final class TableAdministration {

  private final LamponeAdmin admin;

  public TableAdministration(LamponeAdmin admin) {
    this.admin = admin;
  }

  /**
   * Creates a transactional table.
   *
   * @throws CommandException if families or split keys are invalid
   */
  public void create(TableName name, List<Bytes> families, ConflictLevel level, List<Bytes> splits)
      throws IOException {
    if (new HashSet<>(families).size() < families.size()) {
      throw new CommandException("a family is named twice", "");
    }
    TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(name);
    for (Bytes family : families) {
      table.setColumnFamily(family(family));
    }
    List<Bytes> sorted = splits.stream().sorted().toList();
    if (new HashSet<>(sorted).size() < sorted.size() || sorted.contains(Bytes.EMPTY)) {
      throw new CommandException("split keys must differ, and none may be empty", "");
    }
    byte[][] keys = sorted.stream().map(Bytes::toArray).toArray(byte[][]::new);
    admin.createTable(table.build(), level, keys);
  }

  /** Returns the table's conflict level, so that other changes preserve it; ROW if plain. */
  public ConflictLevel levelOf(TableName name) throws IOException {
    return find(name).map(TransactionalTable::level).orElse(ConflictLevel.ROW);
  }

  /** Returns the transactional table of this name; empty if it is a plain one, or absent. */
  public Optional<TransactionalTable> find(TableName name) throws IOException {
    return admin.listTables().stream().filter(table -> table.name().equals(name)).findFirst();
  }

  /**
   * Deletes a table with all that it holds. A transactional one is disabled first, so that
   * transactions that wrote other tables, too, end in all of them alike; not one that is being
   * restored, into which none has written. Interrupted, it may be done again.
   *
   * @throws CommandException if the table's settings cannot be read
   */
  public void drop(TableName name, Database database) throws IOException {
    if (admin.listUnreadableTables().stream().anyMatch(table -> table.name().equals(name))) {
      throw new CommandException(
          "its settings cannot be read, so transactions with other tables cannot be settled",
          "mend it ('alter'), or drop it in the HBase shell and lose them");
    }
    if (find(name).filter(table -> !table.restoring()).isPresent()) {
      admin.disableTable(name);
    }
    database.deleteTable(name);
  }

  /** Change during which a table is closed to writers. */
  public interface Change<T> {
    T make() throws IOException;
  }

  /**
   * Makes a change.
   *
   * @param enable command that reopens the table unchanged
   * @param told receiver of the message for the user if the change fails and leaves the table
   *     closed
   */
  public <T> T change(TableName name, String enable, Consumer<String> told, Change<T> change)
      throws IOException {
    try {
      return change.make();
    } catch (IOException | RuntimeException e) {
      if (isChanging(name)) {
        told.accept(
            "Table "
                + name.getNameAsString()
                + " takes no writes until the change is done: give the same command again, or '"
                + enable
                + "' to open it as it is.");
      }
      throw e;
    }
  }

  private boolean isChanging(TableName name) {
    try {
      return find(name).filter(TransactionalTable::changing).isPresent();
    } catch (IOException | RuntimeException e) {
      return false; // the state is unknown; the original failure is reported
    }
  }

  private static ColumnFamilyDescriptor family(Bytes family) {
    try {
      return ColumnFamilyDescriptorBuilder.of(family.toArray());
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          "'" + family + "' cannot be the name of a family: " + e.getMessage(), "", e);
    }
  }
}
