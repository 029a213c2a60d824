package io.lampone.client.hbase.admin;

import io.lampone.client.LamponeException;
import io.lampone.hbase.FormerSchema;
import io.lampone.hbase.KeptSchema;
import io.lampone.hbase.SchemaObstacles;
import io.lampone.hbase.TableRetention;
import io.lampone.hbase.TableSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Required schema of a transactional table (protocol page, section 11): HBase itself must never
 * drop a version, because only our coprocessor knows which ones are still needed. The user's
 * settings of versions and TTL become rules of Lampone ({@link TableRetention}); settings that
 * cannot be corrected are refused.
 */
final class SchemaRules {

  /** End of a message about a rule set by the user. */
  private static final String OURS = " becomes a rule of Lampone's, which snapshots obey";

  private SchemaRules() {}

  /**
   * Checks a table.
   *
   * @throws LamponeException if it has a setting that cannot be corrected silently
   */
  static void check(TableDescriptor table) throws IOException {
    List<String> obstacles = SchemaObstacles.of(table);
    if (!obstacles.isEmpty()) {
      throw TableChanges.refused(obstacles.get(0));
    }
  }

  /** Checks a plain table whose visible content must stay. */
  static void checkAdoptable(TableDescriptor table) throws IOException {
    List<String> obstacles = adoptionObstacles(table);
    if (!obstacles.isEmpty()) {
      throw TableChanges.refused(obstacles.get(0));
    }
  }

  /** Returns the obstacles in a plain table's settings, whatever its cells. */
  static List<String> adoptionObstacles(TableDescriptor table) {
    List<String> found = new ArrayList<>(SchemaObstacles.of(table));
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      if (family.isNewVersionBehavior()) {
        found.add(
            SchemaObstacles.told(
                "the family has NEW_VERSION_BEHAVIOR: in a transactional table a delete hides what"
                    + " is older by its version, also what was written after it. Copy what it shows"
                    + " into a table without it (CopyTable), and enable that one",
                table,
                family.getNameAsString()));
      }
    }
    return found;
  }

  /** Returns a description of the changes of {@link #corrected} for people. */
  static List<String> corrections(TableDescriptor table) {
    List<String> changes = new ArrayList<>();
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      String name = family.getNameAsString();
      if (family.getMaxVersions() != HConstants.ALL_VERSIONS) {
        changes.add("family=" + name + " VERSIONS=" + family.getMaxVersions() + OURS);
      } else if (table.getValue(TableSettings.PHASE_KEY) == null
          && wantsAllVersions(family)
          && family.getValue(TableRetention.VERSIONS_KEY.getBytes(StandardCharsets.UTF_8))
              == null) {
        changes.add(
            "family="
                + name
                + " VERSIONS="
                + HConstants.ALL_VERSIONS
                + " becomes "
                + TableRetention.VERSIONS_KEY
                + "="
                + HConstants.ALL_VERSIONS
                + ": all versions are kept for ever, and shown; for fewer say "
                + TableRetention.VERSIONS_KEY
                + " before");
      }
      if (family.getMinVersions() != 0) {
        changes.add("family=" + name + " MIN_VERSIONS=" + family.getMinVersions() + OURS);
      }
      if (family.getTimeToLive() != HConstants.FOREVER) {
        changes.add("family=" + name + " TTL=" + family.getTimeToLive() + "s" + OURS);
      }
      if (family.getKeepDeletedCells() != KeepDeletedCells.FALSE) {
        changes.add(
            "family="
                + name
                + " KEEP_DELETED_CELLS="
                + family.getKeepDeletedCells()
                + " becomes FALSE");
      }
      if (family.isNewVersionBehavior()) {
        changes.add("family=" + name + " NEW_VERSION_BEHAVIOR=true becomes false");
      }
      if (family.getInMemoryCompaction() != null
          && family.getInMemoryCompaction() != MemoryCompactionPolicy.NONE) {
        changes.add(
            "family="
                + name
                + " IN_MEMORY_COMPACTION="
                + family.getInMemoryCompaction()
                + " becomes NONE");
      }
    }
    return changes;
  }

  /** Returns the table with families that keep all versions, and their settings as our rules. */
  static TableDescriptor corrected(TableDescriptor table) {
    return keepingEverything(table, TableRetention::translated);
  }

  /**
   * Returns the table with families that keep all versions. HBase's settings of age and versions in
   * a transactional table were made without Lampone and have had no effect: they do not become
   * rules, because values would vanish.
   *
   * @param adopting true if it has not been transactional yet
   */
  static TableDescriptor kept(TableDescriptor table, boolean adopting) {
    return adopting
        ? adopted(table)
        : keepingEverything(table, ColumnFamilyDescriptorBuilder::newBuilder);
  }

  private static TableDescriptor keepingEverything(
      TableDescriptor table,
      Function<ColumnFamilyDescriptor, ColumnFamilyDescriptorBuilder> translation) {
    TableDescriptorBuilder keeping = TableDescriptorBuilder.newBuilder(table);
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      keeping.modifyColumnFamily(KeptSchema.keeping(translation.apply(family)));
    }
    return keeping.build();
  }

  /**
   * Returns a table like an exported transactional one, without unsupported settings, which may
   * have been made since: those of a backup cannot be altered.
   */
  static TableDescriptor restorable(TableDescriptor exported) {
    TableDescriptorBuilder restorable =
        TableDescriptorBuilder.newBuilder(kept(exported, false)).setRegionReplication(1);
    for (ColumnFamilyDescriptor family : restorable.build().getColumnFamilies()) {
      restorable.modifyColumnFamily(
          ColumnFamilyDescriptorBuilder.newBuilder(family)
              .setScope(HConstants.REPLICATION_SCOPE_LOCAL)
              .setMobEnabled(false)
              .build());
    }
    return restorable.build();
  }

  /** Returns a plain table, {@link #corrected}; its families record their former settings. */
  static TableDescriptor adopted(TableDescriptor table) {
    TableDescriptor corrected = corrected(table);
    TableDescriptorBuilder adopted = TableDescriptorBuilder.newBuilder(corrected);
    for (ColumnFamilyDescriptor former : table.getColumnFamilies()) {
      ColumnFamilyDescriptor family = corrected.getColumnFamily(former.getName());
      adopted.modifyColumnFamily(
          FormerSchema.remembered(
              wantsAllVersions(former) ? TableRetention.showingAllVersions(family) : family,
              former));
    }
    return adopted.build();
  }

  /**
   * Returns true if a family of a plain table keeps all versions because the user wants them. A
   * family with a recorded former setting was changed when enabling began. Where an earlier Lampone
   * has left it so, the reason is unknown: the setting stays.
   */
  private static boolean wantsAllVersions(ColumnFamilyDescriptor family) {
    return family.getMaxVersions() == HConstants.ALL_VERSIONS && !FormerSchema.isIn(family);
  }

  /** Returns the table with families that have their former settings of HBase again. */
  static TableDescriptor restored(TableDescriptor table) {
    TableDescriptorBuilder restored = TableDescriptorBuilder.newBuilder(table);
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      restored.modifyColumnFamily(FormerSchema.restored(family));
    }
    return restored.build();
  }
}
