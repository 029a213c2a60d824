package io.lampone.cli.backup;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.apache.hadoop.hbase.TableName;

/**
 * A folder for each table of a backup: called like it, and differently from all others also where
 * upper and lower case are the same. Neither of the characters that it adds can be in the name of a
 * table. One thread.
 */
final class FolderNames {

  private final Set<String> taken = new HashSet<>();

  /**
   * Chooses names.
   *
   * @param others what else lies where the folders are
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
