package io.lampone.coprocessor.healer;

import io.lampone.protocol.config.Setting;
import io.lampone.protocol.config.SettingList;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settings of a region server's healer: properties of its hbase-site.xml, {@code lampone.healer.*}.
 * One thread does the work, one request after the other.
 *
 * @param enabled whether there is one; without it readers settle what they meet
 * @param period between the end of a pass over the server's regions and the next
 * @param delay younger transactions are left to their clients, which settle them in milliseconds
 * @param cellsPerSecond transaction cells that are read
 * @param transactionsPerSecond transactions that are settled
 */
public record HealerSettings(
    boolean enabled,
    Duration period,
    Duration delay,
    int cellsPerSecond,
    int transactionsPerSecond) {

  /** Prefix of all properties. */
  public static final String PREFIX = "lampone.healer.";

  private static final Logger LOG = LoggerFactory.getLogger(HealerSettings.class);

  private static final SettingList LIST = new SettingList(PREFIX, true);

  private static final Setting<Boolean> ENABLED =
      LIST.flag(
          "enabled",
          true,
          "Whether the healer settles what dead clients leave; without it readers do, where they"
              + " meet it.");
  private static final Setting<Duration> PERIOD =
      LIST.duration(
          "period",
          "10s",
          "0ms",
          "",
          "Pause of the healer between two passes over the server's regions; up to four times as"
              + " long while something fails.");
  private static final Setting<Duration> DELAY =
      LIST.duration(
          "delay",
          "10s",
          "0ms",
          "",
          "What is younger the healer leaves to its client, which does the same in milliseconds.");
  private static final Setting<Integer> CELLS_PER_SECOND =
      LIST.count(
          "cells.per.second",
          50_000,
          1,
          Integer.MAX_VALUE,
          "Transaction cells that the healer looks at in a second.");
  private static final Setting<Integer> TRANSACTIONS_PER_SECOND =
      LIST.count(
          "transactions.per.second",
          500,
          1,
          Integer.MAX_VALUE,
          "Transactions that the healer settles in a second.");

  /** All settings, in the order of the reference page. */
  public static final List<Setting<?>> ALL = LIST.all();

  /** The defaults. */
  public static final HealerSettings DEFAULT = from(new Configuration(false));

  /** Reads the properties; a wrong one must not make the server refuse all requests. */
  static HealerSettings orDefault(Configuration configuration) {
    try {
      return from(configuration);
    } catch (IllegalArgumentException e) {
      LOG.error(
          "The healer runs with its defaults: correct the property and restart the region server,"
              + " problem={} defaults={}",
          e.getMessage(),
          DEFAULT,
          e);
      return DEFAULT;
    }
  }

  /**
   * Reads the properties.
   *
   * @throws IllegalArgumentException if one of them is invalid; the message names it
   */
  public static HealerSettings from(Configuration configuration) {
    return new HealerSettings(
        ENABLED.read(configuration::getTrimmed),
        PERIOD.read(configuration::getTrimmed),
        DELAY.read(configuration::getTrimmed),
        CELLS_PER_SECOND.read(configuration::getTrimmed),
        TRANSACTIONS_PER_SECOND.read(configuration::getTrimmed));
  }
}
