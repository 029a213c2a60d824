package io.lampone.client;

import io.lampone.client.config.ClientSettings;
import io.lampone.protocol.config.NearestName;
import io.lampone.protocol.config.Setting;
import io.lampone.tmclient.ClientProperties;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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

  /** All settings that are read here. */
  private static final List<Setting<?>> ALL =
      Stream.concat(ClientSettings.ALL.stream(), Stream.of(ClientProperties.TIMEOUT)).toList();

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
    TreeSet<String> known = ClientProperties.names();
    known.addAll(propertyNames());
    Set<String> unknown = new TreeSet<>();
    for (Map.Entry<String, String> entry : configuration) {
      if (isOurs(entry.getKey()) && !known.contains(entry.getKey())) {
        unknown.add(entry.getKey());
      }
    }
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException(
          "no such properties: remove them or correct their names, unknown="
              + unknown
              + advice(unknown, known)
              + " known="
              + known);
    }
    Builder builder = builder();
    ALL.forEach(setting -> builder.read(setting, configuration));
    return builder.build();
  }

  private static boolean isOurs(String name) {
    return name.startsWith(PREFIX) || name.startsWith(ZOOKEEPER_PREFIX);
  }

  private static String advice(Set<String> unknown, Set<String> known) {
    return unknown.stream()
        .map(name -> " (" + NearestName.advice(name, known) + ")")
        .collect(Collectors.joining());
  }

  /** Returns the names of all properties. */
  public static List<String> propertyNames() {
    return ALL.stream().map(Setting::name).toList();
  }

  /** Builder of a configuration, initialized with the defaults. */
  public static final class Builder {

    private final Map<Setting<?>, Object> values = new HashMap<>();
    private final List<String> illegible = new ArrayList<>();

    private Builder() {}

    private <T> void read(Setting<T> setting, Configuration configuration) {
      try {
        set(setting, setting.read(configuration::getTrimmed));
      } catch (IllegalArgumentException e) {
        illegible.add(e.getMessage());
      }
    }

    private <T> Builder set(Setting<T> setting, T value) {
      values.put(setting, value);
      return this;
    }

    /** Returns a value; one that is out of range is added to those that are wrong. */
    @SuppressWarnings("unchecked") // values of a setting have its type
    private <T> T get(Setting<T> setting, List<String> wrong) {
      T value = (T) values.getOrDefault(setting, setting.defaultValue());
      try {
        setting.check(value);
      } catch (IllegalArgumentException e) {
        wrong.add(e.getMessage());
      }
      return value;
    }

    public Builder operationTimeout(Duration value) {
      return set(ClientSettings.OPERATION_TIMEOUT, value);
    }

    public Builder connectTimeout(Duration value) {
      return set(ClientSettings.CONNECT_TIMEOUT, value);
    }

    public Builder managerTimeout(Duration value) {
      return set(ClientProperties.TIMEOUT, value);
    }

    public Builder closeTimeout(Duration value) {
      return set(ClientSettings.CLOSE_TIMEOUT, value);
    }

    public Builder bufferBytes(long value) {
      return set(ClientSettings.BUFFER_BYTES, value);
    }

    public Builder transactionCells(int value) {
      return set(ClientSettings.TRANSACTION_CELLS, value);
    }

    public Builder recordedFollowers(int value) {
      return set(ClientSettings.RECORDED_FOLLOWERS, value);
    }

    public Builder housekeepingLimit(int value) {
      return set(ClientSettings.HOUSEKEEPING_LIMIT, value);
    }

    public Builder requestBytes(long value) {
      return set(ClientSettings.REQUEST_BYTES, value);
    }

    public Builder requestRows(int value) {
      return set(ClientSettings.REQUEST_ROWS, value);
    }

    public Builder scanBufferBytes(long value) {
      return set(ClientSettings.SCAN_BUFFER_BYTES, value);
    }

    public Builder tableCacheExpiry(Duration value) {
      return set(ClientSettings.TABLE_CACHE_EXPIRY, value);
    }

    public Builder retryPause(Duration value) {
      return set(ClientSettings.RETRY_PAUSE, value);
    }

    public Builder retryPauseCap(Duration value) {
      return set(ClientSettings.RETRY_PAUSE_CAP, value);
    }

    public Builder fastPathPatience(Duration value) {
      return set(ClientSettings.FAST_PATH_PATIENCE, value);
    }

    public Builder contactPatience(Duration value) {
      return set(ClientSettings.CONTACT_PATIENCE, value);
    }

    public Builder slowTransaction(Duration value) {
      return set(ClientSettings.SLOW_TRANSACTION, value);
    }

    public Builder metrics(boolean value) {
      return set(ClientSettings.METRICS, value);
    }

    public Builder reportRows(boolean value) {
      return set(ClientSettings.REPORT_ROWS, value);
    }

    public Builder isolation(Isolation value) {
      return set(ClientSettings.ISOLATION, value);
    }

    public Builder conflictsEarly(boolean value) {
      return set(ClientSettings.CONFLICTS_EARLY, value);
    }

    public Builder readSetRows(int value) {
      return set(ClientSettings.READ_SET_ROWS, value);
    }

    public Builder readSetRanges(int value) {
      return set(ClientSettings.READ_SET_RANGES, value);
    }

    public Builder serverLines(int value) {
      return set(ClientSettings.SERVER_LINES, value);
    }

    public Builder zookeeperParent(String value) {
      return set(ClientSettings.ZOOKEEPER_PARENT, value);
    }

    /**
     * Validates all values and returns the configuration.
     *
     * @throws IllegalArgumentException if values are out of range; the message names all of them
     */
    public LamponeClientConfig build() {
      List<String> wrong = new ArrayList<>(illegible);
      LamponeClientConfig config =
          new LamponeClientConfig(
              get(ClientSettings.OPERATION_TIMEOUT, wrong),
              get(ClientSettings.CONNECT_TIMEOUT, wrong),
              get(ClientProperties.TIMEOUT, wrong),
              get(ClientSettings.CLOSE_TIMEOUT, wrong),
              get(ClientSettings.BUFFER_BYTES, wrong),
              get(ClientSettings.TRANSACTION_CELLS, wrong),
              get(ClientSettings.RECORDED_FOLLOWERS, wrong),
              get(ClientSettings.HOUSEKEEPING_LIMIT, wrong),
              get(ClientSettings.REQUEST_BYTES, wrong),
              get(ClientSettings.REQUEST_ROWS, wrong),
              get(ClientSettings.SCAN_BUFFER_BYTES, wrong),
              get(ClientSettings.TABLE_CACHE_EXPIRY, wrong),
              get(ClientSettings.RETRY_PAUSE, wrong),
              get(ClientSettings.RETRY_PAUSE_CAP, wrong),
              get(ClientSettings.FAST_PATH_PATIENCE, wrong),
              get(ClientSettings.CONTACT_PATIENCE, wrong),
              get(ClientSettings.SLOW_TRANSACTION, wrong),
              get(ClientSettings.METRICS, wrong),
              get(ClientSettings.REPORT_ROWS, wrong),
              get(ClientSettings.ISOLATION, wrong),
              get(ClientSettings.CONFLICTS_EARLY, wrong),
              get(ClientSettings.READ_SET_ROWS, wrong),
              get(ClientSettings.READ_SET_RANGES, wrong),
              get(ClientSettings.SERVER_LINES, wrong),
              get(ClientSettings.ZOOKEEPER_PARENT, wrong));
      if (!wrong.isEmpty()) {
        throw new IllegalArgumentException(String.join("; ", wrong));
      }
      return config;
    }
  }
}
