package io.lampone.cli.backup;

import io.lampone.hbase.TableSettings;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Attributes that a restore copies from the table descriptors of a backup. A backup must not choose
 * code or policies for the cluster: coprocessors and their jars, split and flush policies,
 * configuration keys, owners and every unknown attribute are left out unless the operator names
 * them.
 */
final class RestoredAttributes {

  private static final String OWN_PREFIX = "lampone.";

  /** Attributes of tables, by their keys in {@link TableDescriptorBuilder}. */
  private static final Set<String> OF_TABLES =
      Set.of(
          "COMPACTION_ENABLED",
          "DURABILITY",
          "MAX_FILESIZE",
          "MEMSTORE_FLUSHSIZE",
          "MERGE_ENABLED",
          "NORMALIZATION_ENABLED",
          "NORMALIZER_TARGET_REGION_COUNT",
          "NORMALIZER_TARGET_REGION_SIZE",
          "NORMALIZER_TARGET_REGION_SIZE_MB",
          "SPLIT_ENABLED",
          TableSettings.DELETE_EXPIRED_FILES_KEY);

  /** Attributes of tables that a restore sets itself; they are not worth a message. */
  private static final Set<String> REPLACED = Set.of("IS_META", "REGION_REPLICATION");

  /** Attributes of families, by their keys in {@link ColumnFamilyDescriptorBuilder}. */
  private static final Set<String> OF_FAMILIES =
      Set.of(
          "BLOCKCACHE",
          "BLOCKSIZE",
          "BLOOMFILTER",
          "CACHE_BLOOMS_ON_WRITE",
          "CACHE_DATA_ON_WRITE",
          "CACHE_INDEX_ON_WRITE",
          "COMPRESSION",
          "COMPRESSION_COMPACT",
          "COMPRESSION_COMPACT_MAJOR",
          "COMPRESSION_COMPACT_MINOR",
          "COMPRESS_TAGS",
          "DATA_BLOCK_ENCODING",
          "DFS_REPLICATION",
          "ENCRYPTION",
          "EVICT_BLOCKS_ON_CLOSE",
          "INDEX_BLOCK_ENCODING",
          "IN_MEMORY",
          "IN_MEMORY_COMPACTION",
          "IS_MOB",
          "KEEP_DELETED_CELLS",
          "MIN_VERSIONS",
          "MOB_COMPACT_PARTITION_POLICY",
          "MOB_THRESHOLD",
          "NEW_VERSION_BEHAVIOR",
          "PREFETCH_BLOCKS_ON_OPEN",
          "REPLICATION_SCOPE",
          "STORAGE_POLICY",
          "TTL",
          "VERSIONS");

  private final Set<String> named;

  /**
   * @param named further attributes to copy
   */
  RestoredAttributes(Set<String> named) {
    this.named = Set.copyOf(named);
  }

  /**
   * Table to create.
   *
   * @param leftOut attributes of the original that the table does not have
   */
  record Restored(TableDescriptor table, Set<String> leftOut) {}

  /** Returns the table of a backup under another name, without the excluded attributes. */
  Restored of(TableName name, TableDescriptor original) {
    TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(name);
    Set<String> leftOut = new TreeSet<>();
    take(original.getValues(), OF_TABLES, table::setValue, leftOut);
    for (ColumnFamilyDescriptor from : original.getColumnFamilies()) {
      ColumnFamilyDescriptorBuilder family =
          ColumnFamilyDescriptorBuilder.newBuilder(from.getName());
      take(from.getValues(), OF_FAMILIES, family::setValue, leftOut);
      from.getConfiguration()
          .forEach(
              (key, value) -> {
                if (named.contains(key)) {
                  family.setConfiguration(key, value);
                } else {
                  leftOut.add(key);
                }
              });
      table.setColumnFamily(family.build());
    }
    leftOut.removeAll(REPLACED);
    return new Restored(table.build(), leftOut);
  }

  private void take(
      Map<Bytes, Bytes> values,
      Set<String> known,
      BiConsumer<byte[], byte[]> setter,
      Set<String> leftOut) {
    values.forEach(
        (key, value) -> {
          String attribute = Bytes.toString(key.copyBytes());
          if (Bytes.toString(value.copyBytes()).contains("|" + TableSettings.COPROCESSOR + "|")) {
            return; // the restore adds it, at the priority of this version
          }
          if (known.contains(attribute)
              || named.contains(attribute)
              || attribute.startsWith(OWN_PREFIX)) {
            setter.accept(key.copyBytes(), value.copyBytes());
          } else {
            leftOut.add(attribute);
          }
        });
  }
}
