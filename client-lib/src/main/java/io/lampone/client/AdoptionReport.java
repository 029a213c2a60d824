package io.lampone.client;

import java.util.List;
import org.apache.hadoop.hbase.TableName;

/**
 * Inspection of a plain table before it becomes transactional; see {@link
 * LamponeAdmin#inspectTable}.
 *
 * @param cells stored cells: all versions, and HBase's delete markers
 * @param largestValueBytes size of the largest value of a cell
 * @param obstacles problems to fix before the table can be enabled; empty if there are none
 * @param changes changes that enabling would make to the table's descriptor
 * @param notes further remarks for the administrator
 */
public record AdoptionReport(
    TableName table,
    long rows,
    long cells,
    long largestValueBytes,
    List<String> obstacles,
    List<String> changes,
    List<String> notes) {

  public AdoptionReport {
    obstacles = List.copyOf(obstacles);
    changes = List.copyOf(changes);
    notes = List.copyOf(notes);
  }
}
