package io.lampone.client.hbase;

import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.hbase.TableRetention;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import java.io.IOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * What the schema of a transactional table must be (protocol page, section 2): HBase itself must
 * never drop a version, because only ours knows which are still needed. What the user has said of
 * versions and TTL becomes ours ({@link TableRetention}); what cannot be corrected is refused.
 */
final class SchemaRules {

  private SchemaRules() {}

  /**
   * Checks a table.
   *
   * @throws LamponeException if it asks for something that cannot be corrected silently
   */
  static void check(TableDescriptor table) throws IOException {
    if (table.getColumnFamilyCount() == 0) {
      throw refused("the table has no column family", table, "");
    }
    if (table.getRegionReplication() > 1) {
      throw refused(
          "region replicas cannot answer for a snapshot: set the region replication to 1",
          table,
          "");
    }
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      String name = family.getNameAsString();
      if (Bytes.of(family.getName()).equals(Reserved.PROOF_FAMILY)) {
        throw refused("this family name is Lampone's own: rename the family", table, name);
      }
      if (family.getMobThreshold() > 0 && family.isMobEnabled()) {
        throw refused(
            "the family is a MOB family, which transactions do not support: disable MOB",
            table,
            name);
      }
    }
  }

  /** The table with families that keep everything. */
  static TableDescriptor corrected(TableDescriptor table) {
    TableDescriptorBuilder corrected = TableDescriptorBuilder.newBuilder(table);
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      corrected.modifyColumnFamily(
          TableRetention.translated(family)
              .setTimeToLive(HConstants.FOREVER)
              .setMaxVersions(HConstants.ALL_VERSIONS)
              .setMinVersions(0)
              .setKeepDeletedCells(KeepDeletedCells.FALSE)
              .setNewVersionBehavior(false)
              .setInMemoryCompaction(MemoryCompactionPolicy.NONE)
              .build());
    }
    return corrected.build();
  }

  private static LamponeException refused(String why, TableDescriptor table, String family) {
    return new LamponeException(
        Code.BAD_REQUEST,
        0,
        why + ", table=" + table.getTableName() + (family.isEmpty() ? "" : " family=" + family));
  }
}
