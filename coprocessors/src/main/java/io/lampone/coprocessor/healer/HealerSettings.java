package io.lampone.coprocessor.healer;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;

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

  static final String ENABLED = PREFIX + "enabled";
  static final String PERIOD = PREFIX + "period";
  static final String DELAY = PREFIX + "delay";
  static final String CELLS_PER_SECOND = PREFIX + "cells.per.second";
  static final String TRANSACTIONS_PER_SECOND = PREFIX + "transactions.per.second";

  /** Enabled, every 10 s, from an age of 10 s, 50,000 cells and 500 transactions a second. */
  public static final HealerSettings DEFAULT =
      new HealerSettings(true, Duration.ofSeconds(10), Duration.ofSeconds(10), 50_000, 500);

  public HealerSettings {
    if (period.isNegative() || delay.isNegative()) {
      throw new IllegalArgumentException(
          "below zero, " + PERIOD + "=" + period + " " + DELAY + "=" + delay);
    }
    if (cellsPerSecond < 1 || transactionsPerSecond < 1) {
      throw new IllegalArgumentException(
          "must be at least 1; "
              + ENABLED
              + "=false switches the healer off, "
              + CELLS_PER_SECOND
              + "="
              + cellsPerSecond
              + " "
              + TRANSACTIONS_PER_SECOND
              + "="
              + transactionsPerSecond);
    }
  }

  /** Returns the full names of all properties. */
  static List<String> names() {
    return List.of(ENABLED, PERIOD, DELAY, CELLS_PER_SECOND, TRANSACTIONS_PER_SECOND);
  }

  /**
   * Reads the properties.
   *
   * @throws IllegalArgumentException if one of them is invalid; the message names it
   */
  public static HealerSettings from(Configuration configuration) {
    return new HealerSettings(
        flag(configuration, ENABLED, DEFAULT.enabled()),
        duration(configuration, PERIOD, DEFAULT.period()),
        duration(configuration, DELAY, DEFAULT.delay()),
        number(configuration, CELLS_PER_SECOND, DEFAULT.cellsPerSecond()),
        number(configuration, TRANSACTIONS_PER_SECOND, DEFAULT.transactionsPerSecond()));
  }

  /** Refuses other texts, for which HBase would silently use the default. */
  private static boolean flag(Configuration configuration, String key, boolean otherwise) {
    String text = configuration.getTrimmed(key, Boolean.toString(otherwise));
    if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
      throw new IllegalArgumentException("neither true nor false, " + key + "=" + text);
    }
    return Boolean.parseBoolean(text);
  }

  /**
   * Returns a duration from HBase's settings.
   *
   * @throws IllegalArgumentException if it is not a duration, or negative
   */
  public static Duration duration(Configuration configuration, String key, Duration otherwise) {
    long millis;
    try {
      millis = configuration.getTimeDuration(key, otherwise.toMillis(), TimeUnit.MILLISECONDS);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "not a duration such as 10s or 500ms, " + key + "=" + configuration.get(key), e);
    }
    if (millis < 0) {
      throw new IllegalArgumentException("below zero, " + key + "=" + configuration.get(key));
    }
    return Duration.ofMillis(millis);
  }

  private static int number(Configuration configuration, String key, int otherwise) {
    try {
      return configuration.getInt(key, otherwise);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "not a number up to " + Integer.MAX_VALUE + ", " + key + "=" + configuration.get(key), e);
    }
  }
}
