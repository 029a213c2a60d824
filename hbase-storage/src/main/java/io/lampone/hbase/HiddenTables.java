package io.lampone.hbase;

import java.io.IOException;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;

/**
 * Tables that HBase hides from a user. Its authorizer removes the descriptors of tables that the
 * user may not alter from a list, without an error. The master's counts of regions are complete.
 */
public final class HiddenTables {

  private HiddenTables() {}

  /** Returns the part of the cluster's metrics to request. */
  public static EnumSet<ClusterMetrics.Option> option() {
    return EnumSet.of(ClusterMetrics.Option.TABLE_TO_REGIONS_COUNT);
  }

  /** Query of the master's counts. */
  public interface Counts {
    ClusterMetrics ask() throws IOException;
  }

  /**
   * Returns the tables that are missing from a list, without those that were dropped meanwhile.
   *
   * @param before counts from before the list: a table that was created meanwhile is not missing
   */
  public static Set<TableName> of(
      ClusterMetrics before, Collection<TableDescriptor> shown, Counts counts) throws IOException {
    Set<TableName> hidden = of(before, shown);
    if (!hidden.isEmpty()) {
      hidden.retainAll(of(counts.ask(), shown));
    }
    return hidden;
  }

  /** Returns the tables that are missing from a list; without those of HBase's own. */
  public static Set<TableName> of(ClusterMetrics counts, Collection<TableDescriptor> shown) {
    Set<TableName> hidden = new TreeSet<>(counts.getTableRegionStatesCount().keySet());
    hidden.removeIf(TableName::isSystemTable);
    shown.forEach(table -> hidden.remove(table.getTableName()));
    return hidden;
  }
}
