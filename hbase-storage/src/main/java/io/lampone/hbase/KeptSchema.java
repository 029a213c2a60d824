package io.lampone.hbase;

import java.io.IOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Settings of a transactional table that HBase applies (protocol page, section 11): the observer is
 * in its place, and HBase itself drops no version.
 */
public final class KeptSchema {

  private KeptSchema() {}

  /** Returns the family with HBase keeping everything. */
  public static ColumnFamilyDescriptor keeping(ColumnFamilyDescriptorBuilder family) {
    return family
        .setTimeToLive(HConstants.FOREVER)
        .setMaxVersions(HConstants.ALL_VERSIONS)
        .setMinVersions(0)
        .setKeepDeletedCells(KeepDeletedCells.FALSE)
        .setNewVersionBehavior(false)
        .setInMemoryCompaction(MemoryCompactionPolicy.NONE)
        .build();
  }

  /** Returns true if HBase keeps everything in the family. */
  public static boolean isKept(ColumnFamilyDescriptor family) {
    return family.getTimeToLive() == HConstants.FOREVER
        && family.getMaxVersions() == HConstants.ALL_VERSIONS
        && family.getMinVersions() == 0
        && family.getKeepDeletedCells() == KeepDeletedCells.FALSE
        && !family.isNewVersionBehavior()
        && (family.getInMemoryCompaction() == null
            || family.getInMemoryCompaction() == MemoryCompactionPolicy.NONE);
  }

  /** Returns the table with the observer behind every other coprocessor. */
  public static TableDescriptor withObserver(TableDescriptor table) throws IOException {
    if (table.getCoprocessorDescriptors().stream().anyMatch(TableSettings::isObserver)) {
      return table;
    }
    TableDescriptorBuilder changed = TableDescriptorBuilder.newBuilder(table);
    if (table.hasCoprocessor(TableSettings.COPROCESSOR)) {
      changed.removeCoprocessor(TableSettings.COPROCESSOR);
    }
    return changed
        .setCoprocessor(
            CoprocessorDescriptorBuilder.newBuilder(TableSettings.COPROCESSOR)
                .setPriority(TableSettings.COPROCESSOR_PRIORITY)
                .build())
        .build();
  }
}
