package io.lampone.ycsb;

import java.util.Properties;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;

/**
 * What the properties of a run say; {@code docs/benchmarks/ycsb.md} lists them.
 *
 * @param mode what an operation becomes
 * @param table the table, YCSB's own property
 * @param family the column family, named as in YCSB's binding for HBase
 * @param operations operations of a thread that make one regular transaction
 * @param batch inserts of a thread that are sent together
 * @param regions regions of the table, if this run makes it
 */
record Settings(Mode mode, TableName table, String family, int operations, int batch, int regions) {

  static final String TABLE = "table";
  static final String FAMILY = "columnfamily";
  static final String OPERATIONS = "lampone.operations";
  static final String BATCH = "lampone.batch";
  static final String REGIONS = "lampone.regions";
  static final String SITE = "lampone.site";

  private static final int MOST_OPERATIONS = 10_000;
  private static final int MOST_REGIONS = 90;

  static Settings of(Properties properties) {
    return new Settings(
        Mode.of(properties),
        TableName.valueOf(properties.getProperty(TABLE, "usertable")),
        properties.getProperty(FAMILY, "family"),
        number(properties, OPERATIONS, MOST_OPERATIONS),
        number(properties, BATCH, MOST_OPERATIONS),
        number(properties, REGIONS, MOST_REGIONS));
  }

  /** How to reach the cluster: the file that is named, then every property of HBase's or ours. */
  static Configuration configuration(Properties properties) {
    Configuration configuration = HBaseConfiguration.create();
    String site = properties.getProperty(SITE);
    if (site != null) {
      configuration.addResource(new Path(new java.io.File(site).toURI()));
    }
    for (String name : properties.stringPropertyNames()) {
      if (name.startsWith("hbase.")
          || name.startsWith("zookeeper.")
          || name.startsWith("lampone.client.")
          || name.startsWith("lampone.zookeeper.")) {
        configuration.set(name, properties.getProperty(name));
      }
    }
    return configuration;
  }

  private static int number(Properties properties, String name, int highest) {
    String text = properties.getProperty(name, "1");
    int value;
    try {
      value = Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("not a number, " + name + "=" + text, e);
    }
    if (value < 1 || value > highest) {
      throw new IllegalArgumentException(
          "out of range: 1 to " + highest + ", " + name + "=" + value);
    }
    return value;
  }
}
