package io.lampone.hbase;

import io.lampone.protocol.FamilyRetention;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a family for versions, age and memory in HBase before its table became transactional.
 * They are stored beside their replacement, and restored when the table becomes plain again;
 * Lampone's settings made since ({@link TableRetention}) are then converted to HBase's.
 *
 * <p>Without {@code KEEP_DELETED_CELLS}: HBase would permanently keep our cells deleted when a
 * table becomes plain, and then the table could never be enabled again.
 */
public final class FormerSchema {

  private static final String PREFIX = "lampone.former.";

  /** Key that is always written, so it marks a family with former settings. */
  private static final String VERSIONS = PREFIX + "VERSIONS";

  private static final String MIN_VERSIONS = PREFIX + "MIN_VERSIONS";
  private static final String TTL = PREFIX + "TTL";
  private static final String NEW_VERSION_BEHAVIOR = PREFIX + "NEW_VERSION_BEHAVIOR";
  private static final String IN_MEMORY_COMPACTION = PREFIX + "IN_MEMORY_COMPACTION";

  private FormerSchema() {}

  /**
   * Returns a family that stores its former settings.
   *
   * @param changed the family as it is now; settings that it has stored already stay
   * @param former the family as it was
   */
  public static ColumnFamilyDescriptor remembered(
      ColumnFamilyDescriptor changed, ColumnFamilyDescriptor former) {
    if (isIn(changed)) {
      return changed;
    }
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(changed)
            .setValue(VERSIONS, Integer.toString(former.getMaxVersions()))
            .setValue(MIN_VERSIONS, Integer.toString(former.getMinVersions()))
            .setValue(TTL, Integer.toString(former.getTimeToLive()))
            .setValue(NEW_VERSION_BEHAVIOR, Boolean.toString(former.isNewVersionBehavior()));
    MemoryCompactionPolicy policy = former.getInMemoryCompaction();
    return policy == null
        ? family.build()
        : family.setValue(IN_MEMORY_COMPACTION, policy.name()).build();
  }

  /** Returns true if a family holds its former settings. */
  public static boolean isIn(ColumnFamilyDescriptor family) {
    return text(family, VERSIONS) != null;
  }

  /** Returns the family for plain HBase; unchanged if it has stored no settings. */
  public static ColumnFamilyDescriptor restored(ColumnFamilyDescriptor family) {
    String former = text(family, VERSIONS);
    if (former == null) {
      return family;
    }
    FamilyRetention ours = TableRetention.of(family);
    int versions =
        has(family, TableRetention.VERSIONS_KEY) ? ours.versions() : Integer.parseInt(former);
    int minVersions =
        has(family, TableRetention.MIN_VERSIONS_KEY)
            ? ours.minVersions()
            : Integer.parseInt(text(family, MIN_VERSIONS, "0"));
    int seconds =
        has(family, TableRetention.TTL_KEY)
            ? seconds(ours)
            : Integer.parseInt(text(family, TTL, Integer.toString(HConstants.FOREVER)));
    ColumnFamilyDescriptorBuilder plain =
        withoutOurs(family)
            .setMaxVersions(versions)
            // HBase refuses a minimum above the maximum.
            .setMinVersions(Math.min(minVersions, versions))
            .setTimeToLive(seconds)
            .setNewVersionBehavior(
                Boolean.parseBoolean(text(family, NEW_VERSION_BEHAVIOR, "false")));
    String policy = text(family, IN_MEMORY_COMPACTION);
    if (policy != null) {
      plain.setInMemoryCompaction(MemoryCompactionPolicy.valueOf(policy));
    }
    return plain.build();
  }

  /** Rounds up to HBase's seconds: no value may expire early. */
  private static int seconds(FamilyRetention ours) {
    if (ours.lifetimeMillis() == FamilyRetention.FOREVER) {
      return HConstants.FOREVER;
    }
    long ceiling = TimeUnit.MILLISECONDS.toSeconds(ours.lifetimeMillis() + 999);
    return (int) Math.min(ceiling, HConstants.FOREVER);
  }

  /** Returns the family without Lampone's values, which a builder cannot remove. */
  private static ColumnFamilyDescriptorBuilder withoutOurs(ColumnFamilyDescriptor family) {
    ColumnFamilyDescriptorBuilder plain =
        ColumnFamilyDescriptorBuilder.newBuilder(family.getName());
    family
        .getValues()
        .forEach(
            (key, value) -> {
              if (!isOurs(Bytes.toString(key.get(), key.getOffset(), key.getLength()))) {
                plain.setValue(key, value);
              }
            });
    family.getConfiguration().forEach(plain::setConfiguration);
    return plain;
  }

  private static boolean isOurs(String key) {
    return key.startsWith(PREFIX)
        || key.equals(TableRetention.VERSIONS_KEY)
        || key.equals(TableRetention.MIN_VERSIONS_KEY)
        || key.equals(TableRetention.TTL_KEY)
        || key.equals(TableRetention.CELL_TTL_KEY);
  }

  private static boolean has(ColumnFamilyDescriptor family, String key) {
    return text(family, key) != null;
  }

  private static String text(ColumnFamilyDescriptor family, String key, String otherwise) {
    String text = text(family, key);
    return text == null ? otherwise : text;
  }

  private static @Nullable String text(ColumnFamilyDescriptor family, String key) {
    byte[] value = family.getValue(Bytes.toBytes(key));
    return value == null ? null : Bytes.toString(value);
  }
}
