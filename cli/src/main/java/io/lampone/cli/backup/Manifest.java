package io.lampone.cli.backup;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.lampone.cli.backup.PartFormat.Totals;
import java.util.List;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.exceptions.DeserializationException;

/**
 * Contents of a backup: the plan while parts are missing, the whole when they are complete.
 *
 * @param format format of this file and of the parts
 * @param id id of the backup, random
 * @param timestamp timestamp of the snapshot: the backup contains the commits below it
 * @param tables tables by name
 * @param encrypted true if all parts must be encrypted
 */
record Manifest(
    @JsonProperty("format") int format,
    @JsonProperty("id") String id,
    @JsonProperty("timestamp") long timestamp,
    @JsonProperty("tables") List<TableEntry> tables,
    @JsonProperty("encrypted") @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean encrypted) {

  static final int FORMAT = 1;

  Manifest {
    tables = List.copyOf(tables);
  }

  /**
   * Table of a backup.
   *
   * @param name name with its namespace
   * @param level level of conflicts
   * @param folder folder of its parts
   * @param descriptor HBase's descriptor, in its own serial form, base64
   * @param versions requested versions of a column
   * @param parts parts in the order of their rows
   * @param enabledSince in a plan: time at which HBase last recorded the table as enabled, by the
   *     version of that cell in hbase:meta; 0 = unknown
   */
  record TableEntry(
      @JsonProperty("name") String name,
      @JsonProperty("level") String level,
      @JsonProperty("folder") String folder,
      @JsonProperty("descriptor") String descriptor,
      @JsonProperty("versions") int versions,
      @JsonProperty("parts") List<Part> parts,
      @JsonProperty("enabledSince") @JsonInclude(JsonInclude.Include.NON_DEFAULT)
          long enabledSince) {

    TableEntry {
      requireInside(folder);
      parts = List.copyOf(parts);
    }

    long rows() {
      return parts.stream().mapToLong(Part::rows).sum();
    }

    long cells() {
      return parts.stream().mapToLong(Part::cells).sum();
    }

    long bytes() {
      return parts.stream().mapToLong(Part::bytes).sum();
    }

    /** Returns the descriptor that the table had at the begin of the export. */
    TableDescriptor tableDescriptor() throws DeserializationException {
      return TableDescriptorBuilder.parseFrom(BackupFolder.bytes(descriptor).toArray());
    }

    /** The table of the complete backup. */
    TableEntry with(List<Part> newParts) {
      return new TableEntry(name, level, folder, descriptor, versions, newParts, 0);
    }
  }

  /**
   * Rows of one range, which was a region when the export began; see {@link Ranges}.
   *
   * @param file file inside the table's folder
   * @param start first row, base64; empty for the beginning
   * @param stop first row after the range, base64; empty for the end
   * @param crc checksum of the file; 0 in a plan, as are the numbers
   */
  record Part(
      @JsonProperty("file") String file,
      @JsonProperty("start") String start,
      @JsonProperty("stop") String stop,
      @JsonProperty("rows") long rows,
      @JsonProperty("cells") long cells,
      @JsonProperty("bytes") long bytes,
      @JsonProperty("crc") int crc) {

    Part {
      requireInside(file);
    }

    Part with(Totals totals) {
      return new Part(
          file, start, stop, totals.rows(), totals.cells(), totals.bytes(), totals.crc());
    }

    Totals totals() {
      return new Totals(rows, cells, bytes, crc);
    }
  }

  /** Requires one component of a path: an unsigned manifest may be of another writer. */
  private static void requireInside(String name) {
    if (name.matches("\\.{0,2}") || name.matches("(?s).*[/\\\\:].*")) {
      throw new IllegalArgumentException("no name of a file in the backup's folder, name=" + name);
    }
  }

  Manifest with(List<TableEntry> newTables) {
    return new Manifest(format, id, timestamp, newTables, encrypted);
  }
}
