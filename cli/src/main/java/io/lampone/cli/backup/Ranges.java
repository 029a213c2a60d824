package io.lampone.cli.backup;

import io.lampone.cli.backup.Manifest.Part;
import io.lampone.cli.backup.Manifest.TableEntry;
import io.lampone.protocol.Bytes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

/**
 * Row ranges of a table's parts. Together they cover all possible rows, independent of HBase's list
 * of regions: if a region is missing, the preceding range extends over the hole, and reading it
 * fails there.
 */
final class Ranges {

  private Ranges() {}

  /**
   * Returns the ranges between region boundaries.
   *
   * @param starts start keys in any order, possibly with those of replicas
   */
  static List<Part> of(Collection<byte[]> starts) {
    TreeSet<Bytes> borders = new TreeSet<>();
    borders.add(Bytes.EMPTY);
    starts.forEach(start -> borders.add(Bytes.of(start)));
    List<Part> parts = new ArrayList<>(borders.size());
    for (Bytes start : borders) {
      Bytes next = borders.higher(start);
      parts.add(
          new Part(
              String.format(Locale.ROOT, "part-%05d", parts.size()),
              BackupFolder.text(start.toArray()),
              next == null ? "" : BackupFolder.text(next.toArray()),
              0,
              0,
              0,
              0));
    }
    return parts;
  }

  /**
   * Refuses a table whose parts do not cover all rows. Earlier versions wrote a part for each
   * region listed by HBase, replicas included; duplicates are harmless.
   */
  static void requireWhole(TableEntry table) throws BackupException {
    List<Part> parts = new ArrayList<>(table.parts());
    parts.sort(Comparator.comparing(part -> BackupFolder.bytes(part.start())));
    Bytes reached = Bytes.EMPTY;
    for (int i = 0; i < parts.size(); i++) {
      Bytes start = BackupFolder.bytes(parts.get(i).start());
      if (start.compareTo(reached) > 0) {
        throw missing(table, reached, start);
      }
      Bytes stop = BackupFolder.bytes(parts.get(i).stop());
      if (stop.length() == 0) {
        return;
      }
      reached = stop.compareTo(reached) > 0 ? stop : reached;
    }
    throw missing(table, reached, Bytes.EMPTY);
  }

  private static BackupException missing(TableEntry table, Bytes from, Bytes to) {
    return new BackupException(
        "rows are missing between two parts: HBase had lost a region when it was exported, table="
            + table.name()
            + " from="
            + from
            + " to="
            + to,
        "it cannot be restored as it was: use another backup");
  }
}
