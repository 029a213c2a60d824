package io.lampone.benchmarks.tpcc;

import static io.lampone.benchmarks.oltp.OltpRow.key;

import java.util.List;
import java.util.Locale;
import org.apache.hadoop.hbase.TableName;

/**
 * The nine tables (section 1.3), and two indexes for lookups by columns outside the key: customers
 * by last name, and orders by customer. Keys are numbers in the order of the primary keys; texts
 * that no transaction reads are one column.
 */
final class Tables {

  static final TableName WAREHOUSE = TableName.valueOf("tpcc-warehouse");
  static final TableName DISTRICT = TableName.valueOf("tpcc-district");
  static final TableName CUSTOMER = TableName.valueOf("tpcc-customer");
  static final TableName HISTORY = TableName.valueOf("tpcc-history");
  static final TableName NEW_ORDER = TableName.valueOf("tpcc-new-order");
  static final TableName ORDER = TableName.valueOf("tpcc-order");
  static final TableName ORDER_LINE = TableName.valueOf("tpcc-order-line");
  static final TableName ITEM = TableName.valueOf("tpcc-item");
  static final TableName STOCK = TableName.valueOf("tpcc-stock");
  static final TableName CUSTOMER_BY_NAME = TableName.valueOf("tpcc-customer-by-name");
  static final TableName ORDER_BY_CUSTOMER = TableName.valueOf("tpcc-order-by-customer");

  static final List<TableName> ALL =
      List.of(
          WAREHOUSE,
          DISTRICT,
          CUSTOMER,
          HISTORY,
          NEW_ORDER,
          ORDER,
          ORDER_LINE,
          ITEM,
          STOCK,
          CUSTOMER_BY_NAME,
          ORDER_BY_CUSTOMER);

  /** Longest texts of a name in a key: shorter ones are filled up, so that all sort alike. */
  private static final String NAME_FORMAT = "%-16s";

  private Tables() {}

  /** Returns the beginning of the keys of customers with a last name. */
  static byte[] nameKey(int warehouse, int district, String last) {
    return key(key(warehouse, district), String.format(Locale.ROOT, NAME_FORMAT, last));
  }

  /** Returns the key of a customer by name, sorted by first name (section 2.5.2.2). */
  static byte[] nameKey(int warehouse, int district, String last, String first, int customer) {
    return key(
        nameKey(warehouse, district, last),
        String.format(Locale.ROOT, NAME_FORMAT + "%08d", first, customer));
  }

  /** Returns a key that sorts the latest order of a customer first. */
  static byte[] orderOfCustomerKey(int warehouse, int district, int customer, int order) {
    return key(warehouse, district, customer, Integer.MAX_VALUE - order);
  }
}
