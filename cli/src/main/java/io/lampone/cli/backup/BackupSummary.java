package io.lampone.cli.backup;

import java.util.List;

/**
 * Contents of a backup.
 *
 * @param id of the backup
 * @param timestamp of its snapshot
 * @param tables in their order
 */
public record BackupSummary(String id, long timestamp, List<TableSummary> tables) {

  public BackupSummary {
    tables = List.copyOf(tables);
  }

  /**
   * Summary of a table.
   *
   * @param name name in the backup, or of the restored table
   * @param bytes bytes of its cells
   * @param leftOut attributes in the backup that the restored table does not have
   */
  public record TableSummary(
      String name, long rows, long cells, long bytes, List<String> leftOut) {}

  static BackupSummary of(Manifest manifest) {
    return new BackupSummary(
        manifest.id(),
        manifest.timestamp(),
        manifest.tables().stream()
            .map(
                table ->
                    new TableSummary(
                        table.name(), table.rows(), table.cells(), table.bytes(), List.of()))
            .toList());
  }
}
