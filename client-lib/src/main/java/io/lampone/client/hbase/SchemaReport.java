package io.lampone.client.hbase;

import io.lampone.client.LamponeException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;

/** How far the schema of a table is from what it must be; for tools. */
public final class SchemaReport {

  private SchemaReport() {}

  /** The table with families that keep everything; a TTL stays. */
  public static TableDescriptor corrected(TableDescriptor table) {
    return SchemaRules.corrected(table);
  }

  /** What {@code lampone table enable} would refuse or correct in this table. */
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
