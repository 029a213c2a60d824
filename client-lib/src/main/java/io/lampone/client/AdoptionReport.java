package io.lampone.client;

import java.util.List;
import org.apache.hadoop.hbase.TableName;

/**
 * Inspection of a plain table before it becomes transactional; see {@link
 * LamponeAdmin#inspectTable}.
 *
 * @param cells as they are stored: every version, and HBase's deletes
 * @param largestValueBytes of one cell
 * @param obstacles what must be put right first; empty if nothing stands against it
 * @param changes what would be changed in the table's descriptor
 * @param notes what is good to know
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
