package io.lampone.hbase;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;

/** Settings of HBase that a transactional table cannot have. */
public final class SchemaObstacles {

  private SchemaObstacles() {}

  /** Returns the settings of a table that cannot be corrected silently. */
  public static List<String> of(TableDescriptor table) {
    List<String> found = new ArrayList<>();
    if (table.getTableName().isSystemTable()) {
      found.add(told("this is a table of HBase's own, which nothing but HBase may use", table, ""));
    }
    if (table.getColumnFamilyCount() == 0) {
      found.add(told("the table has no column family", table, ""));
    }
    if (table.getRegionReplication() > 1) {
      found.add(
          told(
              "region replicas cannot answer for a snapshot: set the region replication to 1",
              table,
              ""));
    }
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      String name = family.getNameAsString();
      if (Bytes.of(family.getName()).equals(Reserved.PROOF_FAMILY)) {
        found.add(told("this family name is Lampone's own: rename the family", table, name));
      }
      if (family.getScope() != HConstants.REPLICATION_SCOPE_LOCAL) {
        found.add(
            told(
                "the family is replicated: HBase would send cells as they are stored, undecided ones"
                    + " too, which the other side cannot judge. Set REPLICATION_SCOPE to 0, and"
                    + " bring the data there by 'lampone export' and 'lampone restore'",
                table,
                name));
      }
      if (family.isMobEnabled()) {
        found.add(
            told(
                "the family is a MOB family, which transactions do not support: disable MOB",
                table,
                name));
      }
    }
    return found;
  }

  /** Returns {@code why} with the table and the family, if any. */
  public static String told(String why, TableDescriptor table, String family) {
    return why + ", table=" + table.getTableName() + (family.isEmpty() ? "" : " family=" + family);
  }
}
