package io.lampone.cli;

import io.lampone.client.LamponeAdmin;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/** Builds the descriptor of a new table from what was typed. */
final class TableAdministration {

  private final LamponeAdmin admin;

  TableAdministration(LamponeAdmin admin) {
    this.admin = admin;
  }

  /**
   * Creates a transactional table.
   *
   * @throws CommandException if families or split keys make no sense
   */
  void create(TableName name, List<Bytes> families, ConflictLevel level, List<Bytes> splits)
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

  private static ColumnFamilyDescriptor family(Bytes family) {
    try {
      return ColumnFamilyDescriptorBuilder.of(family.toArray());
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          "'" + family + "' cannot be the name of a family: " + e.getMessage(), "", e);
    }
  }
}
