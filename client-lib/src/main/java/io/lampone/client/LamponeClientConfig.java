package io.lampone.client;

import io.lampone.client.core.IntentResolver;
import io.lampone.client.core.TransactionLimits;
import io.lampone.protocol.config.NearestName;
import io.lampone.protocol.request.RequestLimits;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.tmclient.ClientProperties;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;

/**
 * Settings of a client. Each component is a property of HBase's configuration, named {@code
 * lampone.client.*} except for the last; durations use Hadoop's syntax ({@code 10s}, {@code 500ms};
 * a bare number is milliseconds).
 *
 * @param operationTimeout timeout of one read or write of the servers, retries included
 * @param connectTimeout timeout of connecting
 * @param managerTimeout timeout of one request to the transaction manager, retries included
 * @param closeTimeout longest wait of closing for post-commit tasks
 * @param bufferBytes size of the write buffer of one transaction; more is sent before commit
 * @param transactionCells largest number of cells that one transaction may write
 * @param recordedFollowers largest number of places of a transaction that its leader lists
 * @param housekeepingLimit largest number of concurrent post-commit tasks
 * @param requestBytes approximate largest payload of one request for one region
 * @param requestRows largest number of rows of one request for one region
 * @param scanBufferBytes size of results that one scanner buffers before it suspends the scan
 * @param tableCacheExpiry age at which a table's descriptor is read again, in the background
 * @param retryPause longest pause before the first retry of {@code run}; doubled each time
 * @param retryPauseCap longest pause before any retry
 * @param fastPathPatience how long a fast-path write waits for a conflicting regular transaction
 *     that has not requested its commit, before it aborts that transaction
 * @param contactPatience how long a reader waits for the client of a transaction that has been
 *     assigned a commit timestamp below its snapshot, before it aborts that transaction
 * @param slowTransaction duration from which a transaction is logged; zero for never
 * @param metrics whether transactions are counted and their phases measured
 * @param reportRows whether rows with conflicts are disclosed to the transaction manager
 * @param isolation isolation of transactions whose options name none
 * @param conflictsEarly whether writes are reserved while their transactions run
 * @param readSetRows largest number of rows that one serializable transaction may read
 * @param readSetRanges largest number of ranges that one serializable transaction may scan
 * @param serverLines dedicated connections to each region server, for blocking callers
 * @param zookeeperParent znode of the transaction manager, {@code lampone.zookeeper.parent}
 */
public record LamponeClientConfig(
    Duration operationTimeout,
    Duration connectTimeout,
    Duration managerTimeout,
    Duration closeTimeout,
    long bufferBytes,
    int transactionCells,
    int recordedFollowers,
    int housekeepingLimit,
    long requestBytes,
    int requestRows,
    long scanBufferBytes,
    Duration tableCacheExpiry,
    Duration retryPause,
    Duration retryPauseCap,
    Duration fastPathPatience,
    Duration contactPatience,
    Duration slowTransaction,
    boolean metrics,
    boolean reportRows,
    Isolation isolation,
    boolean conflictsEarly,
    int readSetRows,
    int readSetRanges,
    int serverLines,
    String zookeeperParent) {

  /** Prefix of all property names of the client. */
  public static final String PREFIX = "lampone.client.";

  /** Name of the property that holds the transaction manager's znode. */
  public static final String ZOOKEEPER_PARENT = "lampone.zookeeper.parent";

  private static final String ZOOKEEPER_PREFIX = "lampone.zookeeper.";

  private static final Duration LONGEST = Duration.ofHours(1);
  private static final long MANY = 1L << 40;

  /** Returns a builder that holds the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Reads the properties of {@code configuration}.
   *
   * @throws IllegalArgumentException if one is unknown, unreadable or out of range; the message
   *     names it
   */
  public static LamponeClientConfig from(Configuration configuration) {
    Set<String> unknown = new TreeSet<>();
    for (Map.Entry<String, String> entry : configuration) {
      if (isOurs(entry.getKey()) && !Property.isKnown(entry.getKey())) {
        unknown.add(entry.getKey());
      }
    }
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException(
          "no such properties: remove them or correct their names, unknown="
              + unknown
              + advice(unknown)
              + " known="
              + Property.names()
              + " and, of the transaction manager's client, "
              + ClientProperties.names());
    }
    Builder builder = builder();
    for (Property property : Property.values()) {
      String text = configuration.getTrimmed(property.key);
      if (text != null) {
        builder.set(property, property.parse(configuration, text));
      }
    }
    return builder.build();
  }

  private static boolean isOurs(String name) {
    return name.startsWith(PREFIX) || name.startsWith(ZOOKEEPER_PREFIX);
  }

  private static String advice(Set<String> unknown) {
    Set<String> known = new TreeSet<>(Property.names());
    known.addAll(ClientProperties.names());
    return unknown.stream()
        .map(name -> " (" + NearestName.advice(name, known) + ")")
        .collect(Collectors.joining());
  }

  /** Returns the names of all properties, in the order of the components. */
  public static List<String> propertyNames() {
    return Property.names();
  }

  private enum Kind {
    DURATION,
    NUMBER,
    PATH,
    FLAG,
    ISOLATION
  }

  enum Property {
    OPERATION_TIMEOUT("operation.timeout", Kind.DURATION, Duration.ofSeconds(10)),
    CONNECT_TIMEOUT("connect.timeout", Kind.DURATION, Duration.ofSeconds(30)),
    MANAGER_TIMEOUT("manager.timeout", Kind.DURATION, Duration.ofSeconds(10)),
    CLOSE_TIMEOUT("close.timeout", Kind.DURATION, Duration.ofSeconds(5)),
    BUFFER_BYTES("buffer.bytes", Kind.NUMBER, TransactionLimits.DEFAULT.bufferBytes()),
    TRANSACTION_CELLS(
        "transaction.cells", Kind.NUMBER, (long) TransactionLimits.DEFAULT.writtenCells()),
    RECORDED_FOLLOWERS(
        "recorded.followers", Kind.NUMBER, (long) TransactionLimits.DEFAULT.recordedFollowers()),
    HOUSEKEEPING_LIMIT("housekeeping.limit", Kind.NUMBER, 1000L),
    REQUEST_BYTES("request.bytes", Kind.NUMBER, 1L << 20),
    REQUEST_ROWS("request.rows", Kind.NUMBER, 10_000L),
    SCAN_BUFFER_BYTES("scan.buffer.bytes", Kind.NUMBER, 4L << 20),
    TABLE_CACHE_EXPIRY("table.cache.expiry", Kind.DURATION, Duration.ofMinutes(1)),
    RETRY_PAUSE("retry.pause", Kind.DURATION, Duration.ofMillis(10)),
    RETRY_PAUSE_CAP("retry.pause.cap", Kind.DURATION, Duration.ofSeconds(1)),
    FAST_PATH_PATIENCE("fast.path.patience", Kind.DURATION, Duration.ofSeconds(2)),
    CONTACT_PATIENCE("contact.patience", Kind.DURATION, IntentResolver.CONTACT_PATIENCE),
    SLOW_TRANSACTION("slow.transaction", Kind.DURATION, Duration.ofSeconds(10)),
    METRICS("metrics", Kind.FLAG, true),
    REPORT_ROWS("report.rows", Kind.FLAG, true),
    ISOLATION("isolation", Kind.ISOLATION, Isolation.SNAPSHOT),
    CONFLICTS_EARLY("conflicts.early", Kind.FLAG, false),
    READ_SET_ROWS("read.set.rows", Kind.NUMBER, (long) TransactionLimits.DEFAULT.readRows()),
    READ_SET_RANGES("read.set.ranges", Kind.NUMBER, (long) TransactionLimits.DEFAULT.readRanges()),
    SERVER_LINES("server.lines", Kind.NUMBER, 4L),
    ZOOKEEPER_PARENT_PATH(ZOOKEEPER_PARENT, Kind.PATH, ManagerRecord.DEFAULT_PARENT);

    private final String key;
    private final Kind kind;
    private final Object defaultValue;

    Property(String name, Kind kind, Object defaultValue) {
      this.key = kind == Kind.PATH ? name : PREFIX + name;
      this.kind = kind;
      this.defaultValue = defaultValue;
    }

    private Object parse(Configuration configuration, String text) {
      try {
        return switch (kind) {
          case DURATION ->
              Duration.ofMillis(configuration.getTimeDuration(key, 0, TimeUnit.MILLISECONDS));
          case NUMBER -> Long.parseLong(text);
          case PATH -> text;
          case FLAG -> flag(text);
          case ISOLATION -> Isolation.valueOf(text.toUpperCase(Locale.ROOT));
        };
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "not a "
                + kind.name().toLowerCase(Locale.ROOT)
                + (kind == Kind.ISOLATION ? " (SNAPSHOT or SERIALIZABLE)" : "")
                + ", "
                + key
                + "="
                + text,
            e);
      }
    }

    private static boolean flag(String text) {
      if (!text.equals("true") && !text.equals("false")) {
        throw new IllegalArgumentException("neither true nor false");
      }
      return text.equals("true");
    }

    private static boolean isKnown(String key) {
      return names().contains(key) || ClientProperties.names().contains(key);
    }

    private static List<String> names() {
      return Arrays.stream(values()).map(property -> property.key).toList();
    }
  }

  /** Builder of a configuration, initialized with the defaults. */
  public static final class Builder {

    private final Object[] values = new Object[Property.values().length];

    private Builder() {
      for (Property property : Property.values()) {
        values[property.ordinal()] = property.defaultValue;
      }
    }

    private Builder set(Property property, Object value) {
      values[property.ordinal()] = value;
      return this;
    }

    public Builder operationTimeout(Duration value) {
      return set(Property.OPERATION_TIMEOUT, value);
    }

    public Builder connectTimeout(Duration value) {
      return set(Property.CONNECT_TIMEOUT, value);
    }

    public Builder managerTimeout(Duration value) {
      return set(Property.MANAGER_TIMEOUT, value);
    }

    public Builder closeTimeout(Duration value) {
      return set(Property.CLOSE_TIMEOUT, value);
    }

    public Builder bufferBytes(long value) {
      return set(Property.BUFFER_BYTES, value);
    }

    public Builder transactionCells(int value) {
      return set(Property.TRANSACTION_CELLS, (long) value);
    }

    public Builder recordedFollowers(int value) {
      return set(Property.RECORDED_FOLLOWERS, (long) value);
    }

    public Builder housekeepingLimit(int value) {
      return set(Property.HOUSEKEEPING_LIMIT, (long) value);
    }

    public Builder requestBytes(long value) {
      return set(Property.REQUEST_BYTES, value);
    }

    public Builder requestRows(int value) {
      return set(Property.REQUEST_ROWS, (long) value);
    }

    public Builder scanBufferBytes(long value) {
      return set(Property.SCAN_BUFFER_BYTES, value);
    }

    public Builder tableCacheExpiry(Duration value) {
      return set(Property.TABLE_CACHE_EXPIRY, value);
    }

    public Builder retryPause(Duration value) {
      return set(Property.RETRY_PAUSE, value);
    }

    public Builder retryPauseCap(Duration value) {
      return set(Property.RETRY_PAUSE_CAP, value);
    }

    public Builder fastPathPatience(Duration value) {
      return set(Property.FAST_PATH_PATIENCE, value);
    }

    public Builder contactPatience(Duration value) {
      return set(Property.CONTACT_PATIENCE, value);
    }

    public Builder slowTransaction(Duration value) {
      return set(Property.SLOW_TRANSACTION, value);
    }

    public Builder metrics(boolean value) {
      return set(Property.METRICS, value);
    }

    public Builder reportRows(boolean value) {
      return set(Property.REPORT_ROWS, value);
    }

    public Builder isolation(Isolation value) {
      return set(Property.ISOLATION, value);
    }

    public Builder conflictsEarly(boolean value) {
      return set(Property.CONFLICTS_EARLY, value);
    }

    public Builder readSetRows(int value) {
      return set(Property.READ_SET_ROWS, (long) value);
    }

    public Builder readSetRanges(int value) {
      return set(Property.READ_SET_RANGES, (long) value);
    }

    public Builder serverLines(int value) {
      return set(Property.SERVER_LINES, (long) value);
    }

    public Builder zookeeperParent(String value) {
      return set(Property.ZOOKEEPER_PARENT_PATH, value);
    }

    /**
     * Validates all values and returns the configuration.
     *
     * @throws IllegalArgumentException if values are out of range; the message names all of them
     */
    public LamponeClientConfig build() {
      List<String> wrong = new ArrayList<>();
      LamponeClientConfig config =
          new LamponeClientConfig(
              duration(Property.OPERATION_TIMEOUT, Duration.ofMillis(10), wrong),
              duration(Property.CONNECT_TIMEOUT, Duration.ofMillis(10), wrong),
              duration(Property.MANAGER_TIMEOUT, Duration.ofMillis(10), wrong),
              duration(Property.CLOSE_TIMEOUT, Duration.ZERO, wrong),
              number(Property.BUFFER_BYTES, 0, MANY, wrong),
              (int) number(Property.TRANSACTION_CELLS, 1, Integer.MAX_VALUE, wrong),
              (int) number(Property.RECORDED_FOLLOWERS, 0, RequestLimits.MAX_FOLLOWERS, wrong),
              (int) number(Property.HOUSEKEEPING_LIMIT, 1, 1 << 20, wrong),
              number(Property.REQUEST_BYTES, 1, RequestLimits.MAX_WRITE_BYTES, wrong),
              (int) number(Property.REQUEST_ROWS, 1, RequestLimits.MAX_ROWS, wrong),
              number(Property.SCAN_BUFFER_BYTES, 1, MANY, wrong),
              duration(Property.TABLE_CACHE_EXPIRY, Duration.ZERO, wrong),
              duration(Property.RETRY_PAUSE, Duration.ofNanos(1), wrong),
              duration(Property.RETRY_PAUSE_CAP, Duration.ofNanos(1), wrong),
              duration(Property.FAST_PATH_PATIENCE, Duration.ZERO, wrong),
              duration(Property.CONTACT_PATIENCE, Duration.ZERO, wrong),
              duration(Property.SLOW_TRANSACTION, Duration.ZERO, wrong),
              (Boolean) values[Property.METRICS.ordinal()],
              (Boolean) values[Property.REPORT_ROWS.ordinal()],
              (Isolation) values[Property.ISOLATION.ordinal()],
              (Boolean) values[Property.CONFLICTS_EARLY.ordinal()],
              (int) number(Property.READ_SET_ROWS, 1, 1_000_000, wrong),
              (int) number(Property.READ_SET_RANGES, 1, 100_000, wrong),
              (int) number(Property.SERVER_LINES, 0, 64, wrong),
              path(Property.ZOOKEEPER_PARENT_PATH, wrong));
      if (!wrong.isEmpty()) {
        throw new IllegalArgumentException("properties out of range: " + String.join("; ", wrong));
      }
      return config;
    }

    private Duration duration(Property property, Duration lowest, List<String> wrong) {
      Duration value = (Duration) values[property.ordinal()];
      if (value.compareTo(lowest) < 0 || value.compareTo(LONGEST) > 0) {
        wrong.add(property.key + "=" + value + " must be in " + lowest + ".." + LONGEST);
      }
      return value;
    }

    private long number(Property property, long lowest, long highest, List<String> wrong) {
      long value = (Long) values[property.ordinal()];
      if (value < lowest || value > highest) {
        wrong.add(property.key + "=" + value + " must be in " + lowest + ".." + highest);
      }
      return value;
    }

    private String path(Property property, List<String> wrong) {
      String value = (String) values[property.ordinal()];
      if (!value.startsWith("/") || value.length() < 2 || value.endsWith("/")) {
        wrong.add(property.key + "=" + value + " must be a znode such as /lampone");
      }
      return value;
    }
  }
}
