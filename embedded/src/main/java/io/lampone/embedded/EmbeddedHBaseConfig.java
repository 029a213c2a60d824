package io.lampone.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Settings of an {@link EmbeddedHBase}. Built with {@link #builder(Path)}.
 *
 * @param dataDirectory folder of all data; created if missing; one cluster at a time may use it
 * @param regionServers number of region servers, 1 to {@value #MAX_REGION_SERVERS}
 * @param zooKeeperPort client port of ZooKeeper on 127.0.0.1, or 0 for any free one
 * @param zooKeeperSessionTimeout silence after which a server counts as dead; longest pause of the
 *     JVM that the cluster survives
 * @param syncToDisk true to force the write-ahead log to the disk for every write ({@code
 *     hbase.wal.hsync}); without it, data survives the death of the process but not a power loss
 * @param publishedPort first port of the servers, which then listen on all addresses and call
 *     themselves {@code localhost}; 0 for any free ones of 127.0.0.1
 * @param retention how long every snapshot is readable at least, from its issue on
 * @param settings further HBase settings of the servers and of {@link
 *     EmbeddedHBase#configuration()}, applied last; iteration order is kept
 */
public record EmbeddedHBaseConfig(
    Path dataDirectory,
    int regionServers,
    int zooKeeperPort,
    Duration zooKeeperSessionTimeout,
    boolean syncToDisk,
    int publishedPort,
    Duration retention,
    Map<String, String> settings) {

  /** Upper limit of region servers in one JVM. */
  public static final int MAX_REGION_SERVERS = 8;

  /** Number of ports that a published cluster uses. */
  public static final int PUBLISHED_PORTS = 4;

  static final int DEFAULT_REGION_SERVERS = 2;

  /** Survives the pauses of a machine that has too much to do. */
  static final Duration DEFAULT_SESSION_TIMEOUT = Duration.ofSeconds(30);

  static final Duration DEFAULT_RETENTION = Duration.ofMinutes(10);
  static final Duration MIN_SESSION_TIMEOUT = Duration.ofMillis(500);
  static final Duration MAX_SESSION_TIMEOUT = Duration.ofMinutes(10);

  /** Validates the values; use the builder to create them. */
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
    if (publishedPort < 0 || publishedPort > 65_535 - PUBLISHED_PORTS) {
      throw new IllegalArgumentException("Not a port: publishedPort=" + publishedPort);
    }
    if (publishedPort > 0 && (regionServers > 1 || zooKeeperPort > 0)) {
      throw new IllegalArgumentException(
          "Published ports are those of one region server and of ZooKeeper: regionServers="
              + regionServers
              + " zooKeeperPort="
              + zooKeeperPort);
    }
    Objects.requireNonNull(retention, "retention");
    settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
  }

  boolean isPublished() {
    return publishedPort > 0;
  }

  int masterPort() {
    return isPublished() ? publishedPort + 1 : 0;
  }

  int regionServerPort() {
    return isPublished() ? publishedPort + 2 : 0;
  }

  int managerPort() {
    return isPublished() ? publishedPort + PUBLISHED_PORTS - 1 : 0;
  }

  /** Returns a builder with the data in the given folder and defaults for the rest. */
  public static Builder builder(Path dataDirectory) {
    return new Builder(dataDirectory);
  }

  /** Builder of an {@link EmbeddedHBaseConfig}. Not thread-safe. */
  public static final class Builder {

    private final Path dataDirectory;
    private final Map<String, String> settings = new LinkedHashMap<>();
    private int regionServers = DEFAULT_REGION_SERVERS;
    private int zooKeeperPort;
    private Duration zooKeeperSessionTimeout = DEFAULT_SESSION_TIMEOUT;
    private boolean syncToDisk;
    private int publishedPort;
    private Duration retention = DEFAULT_RETENTION;

    private Builder(Path dataDirectory) {
      this.dataDirectory = dataDirectory;
    }

    /** Sets the number of region servers to start; 2 by default. */
    public Builder regionServers(int count) {
      regionServers = count;
      return this;
    }

    /** Sets the client port of ZooKeeper; 0, the default, uses any free port. */
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

    /**
     * Makes one region server, and all servers listen on all addresses: ZooKeeper at {@code port},
     * behind it the master, the region server and the transaction manager. They call themselves
     * {@code localhost}: for a container that publishes these ports under the same numbers. Anyone
     * who reaches the ports has all rights.
     */
    public Builder publishedAt(int port) {
      publishedPort = port;
      regionServers = 1;
      return this;
    }

    /** Sets how long every snapshot is readable at least; 10 minutes by default. */
    public Builder retention(Duration snapshots) {
      retention = snapshots;
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

    /** Builds the configuration; throws {@link IllegalArgumentException} if a value is invalid. */
    public EmbeddedHBaseConfig build() {
      return new EmbeddedHBaseConfig(
          dataDirectory,
          regionServers,
          zooKeeperPort,
          zooKeeperSessionTimeout,
          syncToDisk,
          publishedPort,
          retention,
          settings);
    }

    private Builder appendClass(String name, Class<?> coprocessor) {
      settings.merge(name, coprocessor.getName(), (all, one) -> all + "," + one);
      return this;
    }
  }
}
