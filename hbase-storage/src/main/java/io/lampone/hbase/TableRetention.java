package io.lampone.hbase;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.Timestamps;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Retention of old versions in a table, by age and number, and expiry of values: stored in its
 * HBase descriptor. HBase's own attributes (TTL, VERSIONS, MIN_VERSIONS) are not used, because
 * HBase must drop nothing by itself.
 *
 * <p>A longer retention is stored as its excess over the cluster's. So the table's own safe point
 * is the published one less the excess, the same everywhere and without a clock, and it never
 * decreases while the settings stay. A change could decrease it below what was collected before. So
 * a change stores a fresh timestamp, and reads below it are refused.
 *
 * @param extra how much longer than the cluster snapshots stay readable
 * @param oldest snapshots below it are not readable in any case; 0 = none
 * @param families the families with settings, by name
 */
public record TableRetention(Duration extra, long oldest, Map<Bytes, FamilyRetention> families) {

  /** Descriptor value: by how many milliseconds longer versions are kept. */
  public static final String EXTRA_KEY = "lampone.retention.extra-millis";

  /** Descriptor value: the smallest readable snapshot. */
  public static final String OLDEST_KEY = "lampone.retention.oldest";

  /**
   * Descriptor value: the least {@link #EXTRA_KEY} before changes of which it is unknown whether
   * all regions learnt them in time.
   */
  public static final String FORMER_KEY = "lampone.retention.former-millis";

  /** Value of a family's descriptor: how many versions of a column are shown and kept. */
  public static final String VERSIONS_KEY = "lampone.versions";

  /** Value of a family's descriptor: how many versions of a column never expire. */
  public static final String MIN_VERSIONS_KEY = "lampone.min-versions";

  /** Value of a family's descriptor: after how many milliseconds values expire. */
  public static final String TTL_KEY = "lampone.ttl-millis";

  /**
   * Value of a family's descriptor: the TTL in seconds that Phoenix sets on transactional tables;
   * counts if {@link #TTL_KEY} is absent. Phoenix waits until it reads the descriptor as it wrote
   * it, so this is not translated.
   */
  public static final String PHOENIX_TTL_KEY = "dataset.table.ttl";

  /** Value of a family's descriptor: whether values may have a TTL of their own. */
  public static final String CELL_TTL_KEY = "lampone.cell-ttl";

  /** Retention of a table without settings. */
  public static final TableRetention NONE = new TableRetention(Duration.ZERO, 0, Map.of());

  public TableRetention {
    families = Map.copyOf(families);
    if (extra.isNegative()) {
      throw new IllegalArgumentException("a table cannot keep less, extra=" + extra);
    }
  }

  /**
   * Returns the retention of a table.
   *
   * @throws IllegalArgumentException if the values cannot be read
   */
  public static TableRetention of(TableDescriptor table) {
    String extra = table.getValue(EXTRA_KEY);
    String oldest = table.getValue(OLDEST_KEY);
    Map<Bytes, FamilyRetention> families = new HashMap<>();
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      FamilyRetention retention = of(family);
      if (!retention.equals(FamilyRetention.DEFAULT)) {
        families.put(Bytes.of(family.getName()), retention);
      }
    }
    return new TableRetention(
        extra == null ? Duration.ZERO : Duration.ofMillis(Long.parseLong(extra)),
        oldest == null ? 0 : Long.parseLong(oldest),
        families);
  }

  /** Returns true if a table's settings keep snapshots longer than the cluster does. */
  public static boolean keepsLonger(TableDescriptor table) {
    String extra = table.getValue(EXTRA_KEY);
    return extra != null && !extra.equals("0");
  }

  static FamilyRetention of(ColumnFamilyDescriptor family) {
    try {
      return new FamilyRetention(
          (int) value(family, VERSIONS_KEY, FamilyRetention.DEFAULT.versions()),
          (int) value(family, MIN_VERSIONS_KEY, FamilyRetention.DEFAULT.minVersions()),
          value(family, TTL_KEY, phoenixTtlMillis(family)),
          cellLifetimes(family));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "unreadable retention, family=" + family.getNameAsString() + ": " + e.getMessage(), e);
    }
  }

  private static long value(ColumnFamilyDescriptor family, String key, long otherwise) {
    byte[] value = family.getValue(org.apache.hadoop.hbase.util.Bytes.toBytes(key));
    return value == null ? otherwise : Long.parseLong(Bytes.wrap(value).toUtf8());
  }

  private static long phoenixTtlMillis(ColumnFamilyDescriptor family) {
    long seconds = value(family, PHOENIX_TTL_KEY, HConstants.FOREVER);
    return seconds == HConstants.FOREVER
        ? FamilyRetention.FOREVER
        : TimeUnit.SECONDS.toMillis(seconds);
  }

  private static boolean cellLifetimes(ColumnFamilyDescriptor family) {
    byte[] value = family.getValue(org.apache.hadoop.hbase.util.Bytes.toBytes(CELL_TTL_KEY));
    String text = value == null ? "false" : Bytes.wrap(value).toUtf8();
    if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
      throw new IllegalArgumentException(CELL_TTL_KEY + " is true or false, value=" + text);
    }
    return Boolean.parseBoolean(text);
  }

  /**
   * Returns the family with HBase's attributes for age and number of versions translated to ours.
   * Existing values of ours stay. An HBase setting of all versions is ignored, because every
   * transactional table has it; for a plain table see {@link #showingAllVersions}.
   */
  public static ColumnFamilyDescriptorBuilder translated(ColumnFamilyDescriptor family) {
    ColumnFamilyDescriptorBuilder translated = ColumnFamilyDescriptorBuilder.newBuilder(family);
    if (family.getTimeToLive() != HConstants.FOREVER) {
      set(translated, family, TTL_KEY, TimeUnit.SECONDS.toMillis(family.getTimeToLive()));
    }
    if (family.getMinVersions() > 0) {
      set(translated, family, MIN_VERSIONS_KEY, family.getMinVersions());
    }
    if (family.getMaxVersions() > 1 && family.getMaxVersions() != HConstants.ALL_VERSIONS) {
      set(translated, family, VERSIONS_KEY, family.getMaxVersions());
    }
    return translated;
  }

  /** Returns the family with all versions kept and shown, unless our value sets a number. */
  public static ColumnFamilyDescriptor showingAllVersions(ColumnFamilyDescriptor family) {
    ColumnFamilyDescriptorBuilder showing = ColumnFamilyDescriptorBuilder.newBuilder(family);
    set(showing, family, VERSIONS_KEY, HConstants.ALL_VERSIONS);
    return showing.build();
  }

  private static void set(
      ColumnFamilyDescriptorBuilder translated,
      ColumnFamilyDescriptor family,
      String key,
      long value) {
    if (family.getValue(org.apache.hadoop.hbase.util.Bytes.toBytes(key)) == null) {
      translated.setValue(key, Long.toString(value));
    }
  }

  /** Returns the family with values that expire after {@code lifetime}; zero = never. */
  public static ColumnFamilyDescriptorBuilder expiring(
      ColumnFamilyDescriptor family, Duration lifetime) {
    return ColumnFamilyDescriptorBuilder.newBuilder(family)
        .setValue(TTL_KEY, Long.toString(lifetime.toMillis()));
  }

  /** Returns the family with TTLs of single values allowed or not. */
  public static ColumnFamilyDescriptorBuilder cellsExpiring(
      ColumnFamilyDescriptor family, boolean allowed) {
    return ColumnFamilyDescriptorBuilder.newBuilder(family)
        .setValue(CELL_TTL_KEY, Boolean.toString(allowed));
  }

  /** Returns the retention of {@code family}: versions shown and kept. */
  public FamilyRetention of(Bytes family) {
    return families.getOrDefault(family, FamilyRetention.DEFAULT);
  }

  /** Returns true if values expire in some family. */
  public boolean isLimited() {
    // no stream: every read runs this
    for (FamilyRetention family : families.values()) {
      if (family.isLimited()) {
        return true;
      }
    }
    return false;
  }

  /** Returns true if values in some family may have TTLs on single cells. */
  public boolean cellLifetimes() {
    return families.values().stream().anyMatch(FamilyRetention::cellLifetimes);
  }

  /**
   * Returns the table's own safe point.
   *
   * @param clusterSafePoint the published one; 0 = unknown
   */
  public long safePoint(long clusterSafePoint) {
    if (extra.isZero() || clusterSafePoint == 0) {
      return clusterSafePoint;
    }
    long own = Timestamps.tick(clusterSafePoint - extra.toNanos());
    return Math.min(clusterSafePoint, Math.max(own, oldest));
  }

  /**
   * Returns a table that keeps versions longer.
   *
   * @param now a fresh timestamp: older versions may have been collected already
   */
  public static TableDescriptorBuilder keepLonger(
      TableDescriptorBuilder table, Duration extra, long now) {
    return table
        .setValue(EXTRA_KEY, Long.toString(extra.toMillis()))
        .setValue(OLDEST_KEY, Long.toString(now));
  }

  /**
   * Returns a transactional table with a longer or shorter retention than before.
   *
   * <p>With the present values {@code e} and {@code o}, no region has collected above {@code
   * max(heard - e, o)} when it learns of the change: its safe point is {@code min(c, max(c - e,
   * o))}, and {@code c} is at most {@code heard}. So a longer retention begins there. A shorter one
   * never decreases the safe point. As long as a longer one is not {@linkplain #confirmed
   * confirmed}, regions may collect by it or by a rule before it: the shortest counts.
   *
   * @param heard a timestamp that the cluster's safe point does not reach before every region has
   *     learnt of the change
   */
  public static TableDescriptor changed(TableDescriptor table, Duration extra, long heard) {
    TableRetention present = of(table);
    String former = table.getValue(FORMER_KEY);
    if (former == null && extra.compareTo(present.extra) <= 0) {
      return keepLonger(TableDescriptorBuilder.newBuilder(table), extra, present.oldest).build();
    }
    long millis = present.extra.toMillis();
    Duration known =
        Duration.ofMillis(former == null ? millis : Math.min(millis, Long.parseLong(former)));
    long oldest = Math.max(present.oldest, Timestamps.tick(heard - known.toNanos()));
    return keepLonger(TableDescriptorBuilder.newBuilder(table), extra, oldest)
        .setValue(FORMER_KEY, Long.toString(known.toMillis()))
        .build();
  }

  /** Returns true if a change of the table waits for {@link #confirmed}. */
  public static boolean isUnconfirmed(TableDescriptor table) {
    return table.getValue(FORMER_KEY) != null;
  }

  /** Returns a table whose regions have all learnt of the last change in time. */
  public static TableDescriptor confirmed(TableDescriptor table) {
    return TableDescriptorBuilder.newBuilder(table).removeValue(FORMER_KEY).build();
  }

  /**
   * Returns a table with its configured retention and no trusted history, because it has been
   * refilled or was plain.
   *
   * @param heard as in {@link #changed}
   */
  public static TableDescriptor renewed(TableDescriptor table, long heard) {
    return keepsLonger(table)
        ? confirmed(
            keepLonger(TableDescriptorBuilder.newBuilder(table), of(table).extra, heard).build())
        : table;
  }
}
