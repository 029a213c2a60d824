package io.lampone.client.hbase.admin;

import io.lampone.client.LamponeException;
import io.lampone.hbase.KeptSchema;
import io.lampone.hbase.TableSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/** Deviations of a table's schema from the required one; for tools. */
public final class SchemaReport {

  private SchemaReport() {}

  /**
   * Returns the table with families that keep all versions, a store that deletes no files, and the
   * observer behind all others. A TTL stays as it is: as a rule of Lampone it would expire values
   * that are still in use.
   */
  public static TableDescriptor corrected(TableDescriptor table) throws IOException {
    TableDescriptorBuilder timeless = TableDescriptorBuilder.newBuilder(table);
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      timeless.modifyColumnFamily(withTtl(family, HConstants.FOREVER));
    }
    TableDescriptor corrected = SchemaRules.corrected(timeless.build());
    TableDescriptorBuilder timed =
        TableDescriptorBuilder.newBuilder(corrected)
            .setValue(TableSettings.DELETE_EXPIRED_FILES_KEY, Boolean.toString(false));
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      timed.modifyColumnFamily(
          withTtl(corrected.getColumnFamily(family.getName()), family.getTimeToLive()));
    }
    return KeptSchema.withObserver(timed.build());
  }

  private static ColumnFamilyDescriptor withTtl(ColumnFamilyDescriptor family, int seconds) {
    return ColumnFamilyDescriptorBuilder.newBuilder(family).setTimeToLive(seconds).build();
  }

  /** Returns what {@code lampone table enable} would refuse or correct in this table. */
  public static List<String> deviations(TableDescriptor table) {
    List<String> found = new ArrayList<>();
    try {
      SchemaRules.check(table);
    } catch (LamponeException e) {
      found.add(e.getMessage());
    } catch (IOException e) {
      throw new IllegalStateException("unforeseen failure of a check", e);
    }
    TableDescriptor corrected = SchemaRules.corrected(table);
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      ColumnFamilyDescriptor right = corrected.getColumnFamily(family.getName());
      if (!family.equals(right)) {
        found.add("family=" + family + " should be " + right);
      }
    }
    return found;
  }
}
