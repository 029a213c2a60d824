package io.lampone.ycsb;

import io.lampone.client.Freshness;
import io.lampone.client.TransactionOptions;
import java.util.Locale;
import java.util.Properties;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;

/**
 * Properties of a run; {@code docs/benchmarks/ycsb.md} lists them.
 *
 * @param mode implementation of an operation
 * @param table the table, YCSB's own property
 * @param family the column family, named as in YCSB's binding for HBase
 * @param operations operations of a thread in one regular transaction
 * @param batch inserts of a thread in one batch
 * @param regions regions of the table, if this run creates it
 * @param freshness age of the snapshots of read-only transactions
 */
record Settings(
    Mode mode,
    TableName table,
    String family,
    int operations,
    int batch,
    int regions,
    Freshness freshness) {

  static final String TABLE = "table";
  static final String FAMILY = "columnfamily";
  static final String OPERATIONS = "lampone.operations";
  static final String BATCH = "lampone.batch";
  static final String REGIONS = "lampone.regions";
  static final String SITE = "lampone.site";
  static final String FRESHNESS = "lampone.freshness";

  private static final int MOST_OPERATIONS = 10_000;
  private static final int MOST_REGIONS = 90;

  /** Requires that reads and writes do not share a transaction whose freshness is chosen. */
  Settings {
    if (freshness != Freshness.STRICT && operations > 1) {
      throw new IllegalArgumentException(
          "a transaction of several operations may write: leave "
              + OPERATIONS
              + " out, or "
              + FRESHNESS
              + "="
              + freshness.name().toLowerCase(Locale.ROOT));
    }
  }

  static Settings of(Properties properties) {
    return new Settings(
        Mode.of(properties),
        TableName.valueOf(properties.getProperty(TABLE, "usertable")),
        properties.getProperty(FAMILY, "family"),
        (int) number(properties, OPERATIONS, 1, 1, MOST_OPERATIONS),
        (int) number(properties, BATCH, 1, 1, MOST_OPERATIONS),
        (int) number(properties, REGIONS, 1, 1, MOST_REGIONS),
        freshness(properties));
  }

  private static Freshness freshness(Properties properties) {
    String text = properties.getProperty(FRESHNESS, "strict").strip();
    return switch (text) {
      case "strict" -> Freshness.STRICT;
      case "session" -> Freshness.SESSION;
      case "latest" -> Freshness.LATEST;
      default ->
          throw new IllegalArgumentException(
              "no such freshness: choose strict, session or latest, " + FRESHNESS + "=" + text);
    };
  }

  /** Returns the options of a transaction that only reads, by gets. */
  TransactionOptions forGets() {
    return TransactionOptions.DEFAULT.asReadOnly().withFreshness(freshness);
  }

  /** Returns the options of a transaction that only reads, and scans; LATEST has no scans. */
  TransactionOptions forScans() {
    return freshness == Freshness.LATEST ? forGets().withFreshness(Freshness.SESSION) : forGets();
  }

  /** Returns the cluster's configuration: the named file, then properties of HBase and Lampone. */
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

  /**
   * Returns the value of an integer property.
   *
   * @throws IllegalArgumentException if it is no integer, or out of range
   */
  static long number(
      Properties properties, String name, long byDefault, long lowest, long highest) {
    String text = properties.getProperty(name, Long.toString(byDefault)).strip();
    long value;
    try {
      value = Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("not a whole number, " + name + "=" + text, e);
    }
    if (value < lowest || value > highest) {
      throw new IllegalArgumentException(
          "out of range: " + lowest + " to " + highest + ", " + name + "=" + text);
    }
    return value;
  }

  /**
   * Returns the value of a property between 0 and 1.
   *
   * @throws IllegalArgumentException if it is no such number
   */
  static double proportion(Properties properties, String name, String byDefault) {
    String text = properties.getProperty(name, byDefault).strip();
    double value;
    try {
      value = Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("not a number, " + name + "=" + text, e);
    }
    if (!(value >= 0 && value <= 1)) {
      throw new IllegalArgumentException("out of range: 0 to 1, " + name + "=" + text);
    }
    return value;
  }

  /**
   * Returns the value of a boolean property.
   *
   * @throws IllegalArgumentException if it is neither true nor false
   */
  static boolean flag(Properties properties, String name, boolean byDefault) {
    String text = properties.getProperty(name, Boolean.toString(byDefault)).strip();
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("say true or false, " + name + "=" + text);
    };
  }
}
