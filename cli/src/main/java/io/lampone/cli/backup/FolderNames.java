package io.lampone.cli.backup;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.apache.hadoop.hbase.TableName;

/**
 * Folder names for the tables of a backup: similar to the table's name, and distinct also on
 * case-insensitive file systems. The added characters cannot occur in the name of a table. For one
 * thread.
 */
final class FolderNames {

  private final Set<String> taken = new HashSet<>();

  /**
   * Creates an empty set of names.
   *
   * @param others other names in the same folder
   */
  FolderNames(String... others) {
    for (String other : others) {
      taken.add(other.toLowerCase(Locale.ROOT));
    }
  }

  /** A new name. */
  String of(TableName table) {
    String name = table.getNameAsString().replace(':', '=');
    String free = name;
    for (int number = 2; !taken.add(free.toLowerCase(Locale.ROOT)); number++) {
      free = name + "~" + number;
    }
    return free;
  }
}
