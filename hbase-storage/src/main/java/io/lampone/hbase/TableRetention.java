package io.lampone.hbase;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.Timestamps;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * How long a table keeps old versions, and how many: values in its HBase descriptor.
 *
 * <p>A longer retention is told as what it adds to the cluster's. So the table's own safe point
 * follows from the published one by subtraction, everywhere alike, without a clock; and it never
 * goes back while the settings stay. When they change it could: what was collected before is not
 * there. So whoever changes them writes down a fresh timestamp below which nobody may read.
 *
 * @param extra how much longer than the cluster snapshots stay readable
 * @param oldest snapshots below it are not readable, whatever else is said; 0 = none
 * @param versions by family, how many versions of a column a snapshot can rely on; 1 where nothing
 *     is said
 */
public record TableRetention(Duration extra, long oldest, Map<Bytes, Integer> versions) {

  /** Descriptor value that holds how many milliseconds longer versions are kept. */
  public static final String EXTRA_KEY = "lampone.retention.extra-millis";

  /** Descriptor value that holds the smallest readable snapshot. */
  public static final String OLDEST_KEY = "lampone.retention.oldest";

  /** Value of a family's descriptor that holds how many versions of a column are kept. */
  public static final String VERSIONS_KEY = "lampone.versions";

  public TableRetention {
    versions = Map.copyOf(versions);
    if (extra.isNegative()) {
      throw new IllegalArgumentException("a table cannot keep less, extra=" + extra);
    }
  }

  /**
   * The retention of a table.
   *
   * @throws IllegalArgumentException if the values cannot be read
   */
  public static TableRetention of(TableDescriptor table) {
    String extra = table.getValue(EXTRA_KEY);
    String oldest = table.getValue(OLDEST_KEY);
    Map<Bytes, Integer> versions = new HashMap<>();
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      byte[] value = family.getValue(org.apache.hadoop.hbase.util.Bytes.toBytes(VERSIONS_KEY));
      if (value != null) {
        int number = Integer.parseInt(Bytes.wrap(value).toUtf8());
        if (number < 1) {
          throw new IllegalArgumentException(
              "a family keeps one version at least, family="
                  + family.getNameAsString()
                  + " versions="
                  + number);
        }
        versions.put(Bytes.of(family.getName()), number);
      }
    }
    return new TableRetention(
        extra == null ? Duration.ZERO : Duration.ofMillis(Long.parseLong(extra)),
        oldest == null ? 0 : Long.parseLong(oldest),
        versions);
  }

  /** How many versions of a column of {@code family} a snapshot can rely on. */
  public int versionsOf(Bytes family) {
    return versions.getOrDefault(family, 1);
  }

  /**
   * The table's own safe point.
   *
   * @param clusterSafePoint the published one; 0 = not known
   */
  public long safePoint(long clusterSafePoint) {
    if (extra.isZero() || clusterSafePoint == 0) {
      return clusterSafePoint;
    }
    long own = Timestamps.tick(clusterSafePoint - extra.toNanos());
    return Math.min(clusterSafePoint, Math.max(own, oldest));
  }

  /**
   * A table that keeps versions longer.
   *
   * @param now a fresh timestamp: what is older may have been collected already
   */
  public static TableDescriptorBuilder keepLonger(
      TableDescriptorBuilder table, Duration extra, long now) {
    return table
        .setValue(EXTRA_KEY, Long.toString(extra.toMillis()))
        .setValue(OLDEST_KEY, Long.toString(now));
  }
}
