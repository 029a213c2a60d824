package io.lampone.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Settings that an {@link EmbeddedHBase} is started with. Build one with {@link #builder(Path)}.
 *
 * @param dataDirectory folder of all data; created when missing; one cluster at a time may use it
 * @param regionServers how many region servers to start, 1 to {@value #MAX_REGION_SERVERS}
 * @param zooKeeperPort client port of ZooKeeper on 127.0.0.1, or 0 for any free one
 * @param zooKeeperSessionTimeout how long a server may be silent before the others call it dead; it
 *     bounds how long a pause of the JVM is survived
 * @param syncToDisk whether the write-ahead log is forced to the disk for every write ({@code
 *     hbase.wal.hsync}); without it, data survives the death of the process but not a power loss
 * @param settings further HBase settings of the servers and of {@link
 *     EmbeddedHBase#configuration()}, applied last; iteration order is kept
 */
public record EmbeddedHBaseConfig(
    Path dataDirectory,
    int regionServers,
    int zooKeeperPort,
    Duration zooKeeperSessionTimeout,
    boolean syncToDisk,
    Map<String, String> settings) {

  /** Upper limit of region servers in one JVM. */
  public static final int MAX_REGION_SERVERS = 8;

  static final int DEFAULT_REGION_SERVERS = 2;
  static final Duration DEFAULT_SESSION_TIMEOUT = Duration.ofSeconds(10);
  static final Duration MIN_SESSION_TIMEOUT = Duration.ofMillis(500);
  static final Duration MAX_SESSION_TIMEOUT = Duration.ofMinutes(10);

  /** Checks the values; see the builder for how to make them. */
  public EmbeddedHBaseConfig {
    Objects.requireNonNull(dataDirectory, "dataDirectory");
    if (regionServers < 1 || regionServers > MAX_REGION_SERVERS) {
      throw new IllegalArgumentException(
          "Number of region servers out of range: regionServers="
              + regionServers
              + " max="
              + MAX_REGION_SERVERS);
    }
    if (zooKeeperPort < 0 || zooKeeperPort > 65_535) {
      throw new IllegalArgumentException("Not a port: zooKeeperPort=" + zooKeeperPort);
    }
    if (zooKeeperSessionTimeout.compareTo(MIN_SESSION_TIMEOUT) < 0
        || zooKeeperSessionTimeout.compareTo(MAX_SESSION_TIMEOUT) > 0) {
      throw new IllegalArgumentException(
          "ZooKeeper session timeout out of range: zooKeeperSessionTimeout="
              + zooKeeperSessionTimeout
              + " min="
              + MIN_SESSION_TIMEOUT
              + " max="
              + MAX_SESSION_TIMEOUT);
    }
    settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
  }

  /** Starts a configuration with the data in the given folder and defaults for all else. */
  public static Builder builder(Path dataDirectory) {
    return new Builder(dataDirectory);
  }

  /** Collects the values of an {@link EmbeddedHBaseConfig}. Not thread-safe. */
  public static final class Builder {

    private final Path dataDirectory;
    private final Map<String, String> settings = new LinkedHashMap<>();
    private int regionServers = DEFAULT_REGION_SERVERS;
    private int zooKeeperPort;
    private Duration zooKeeperSessionTimeout = DEFAULT_SESSION_TIMEOUT;
    private boolean syncToDisk;

    private Builder(Path dataDirectory) {
      this.dataDirectory = dataDirectory;
    }

    /** Sets the number of region servers to start; 2 by default. */
    public Builder regionServers(int count) {
      regionServers = count;
      return this;
    }

    /** Client port of ZooKeeper; 0, the default, takes any free port. */
    public Builder zooKeeperPort(int port) {
      zooKeeperPort = port;
      return this;
    }

    /** Sets the time that a server may be silent before it counts as dead; 10 s by default. */
    public Builder zooKeeperSessionTimeout(Duration timeout) {
      zooKeeperSessionTimeout = timeout;
      return this;
    }

    /** Sets whether every write is forced to the disk; false by default. */
    public Builder syncToDisk(boolean sync) {
      syncToDisk = sync;
      return this;
    }

    /** Adds one HBase setting, replacing an earlier one of the same name. */
    public Builder setting(String name, String value) {
      settings.put(name, value);
      return this;
    }

    /**
     * Adds a coprocessor to every region of every table, system tables included ({@code
     * hbase.coprocessor.region.classes}). May be called several times; the order is kept.
     */
    public Builder regionCoprocessor(Class<?> coprocessor) {
      return appendClass("hbase.coprocessor.region.classes", coprocessor);
    }

    /** Adds a coprocessor to every region of every table that is not a system table. */
    public Builder userRegionCoprocessor(Class<?> coprocessor) {
      return appendClass("hbase.coprocessor.user.region.classes", coprocessor);
    }

    /** Adds a coprocessor to every region server as a whole. */
    public Builder regionServerCoprocessor(Class<?> coprocessor) {
      return appendClass("hbase.coprocessor.regionserver.classes", coprocessor);
    }

    /** Adds a coprocessor to the master. */
    public Builder masterCoprocessor(Class<?> coprocessor) {
      return appendClass("hbase.coprocessor.master.classes", coprocessor);
    }

    /** Makes the configuration; throws {@link IllegalArgumentException} when a value is wrong. */
    public EmbeddedHBaseConfig build() {
      return new EmbeddedHBaseConfig(
          dataDirectory,
          regionServers,
          zooKeeperPort,
          zooKeeperSessionTimeout,
          syncToDisk,
          settings);
    }

    private Builder appendClass(String name, Class<?> coprocessor) {
      settings.merge(name, coprocessor.getName(), (all, one) -> all + "," + one);
      return this;
    }
  }
}
