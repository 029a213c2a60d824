package io.lampone.tm;

import static java.util.Map.entry;

import io.lampone.protocol.config.NearestName;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.tm.admission.AdmissionSettings;
import io.lampone.tm.core.Retention;
import io.lampone.tm.core.validation.Sharding;
import io.lampone.tm.http.HttpSettings;
import io.lampone.tm.security.SecuritySettings;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/**
 * Configuration of a transaction manager process. {@link #propertyNames} lists the properties.
 *
 * @param bindHost the address to listen on; empty for the choice of {@link Exposure}
 * @param bindPort the port to listen on; 0 for any
 * @param advertisedHost the host announced to clients; empty for the bound address, or the name of
 *     this host if that is a wildcard
 * @param zookeeperQuorum ZooKeeper servers, {@code host:port} separated by commas
 * @param zookeeperParent the parent znode of the record
 * @param zookeeperSessionTimeout timeout of this process's session; independent of the lease
 * @param leaseDuration how long this process may answer after a renewal
 * @param leaseRenewInterval interval between renewals of the lease
 * @param timestampsAhead how far ahead of need the persisted bound is extended
 * @param conflictTableCapacity capacity of the conflict table in hashes, less than 19 bytes each
 * @param decisionMemoryCapacity capacity of the decision memory, less than 27 bytes per decision
 * @param maxFrameBytes maximum length of clients' frames
 * @param maxMessagesPerFrame maximum requests in a frame
 * @param maxConnections maximum connected clients
 * @param maxOutstandingPerConnection unread replies of a client above which it is refused
 * @param maxOutstanding unread replies of all clients together
 * @param handshakeTimeout time limit of a handshake
 * @param eventLoopBusyPoll whether the event loop never blocks: occupies a core, answers some
 *     microseconds earlier
 * @param clockAheadLimit maximum lead over other clocks with which an epoch is taken; zero for no
 *     comparison
 * @param security authentication and TLS
 * @param admission admission control
 * @param retention how long snapshots remain readable
 * @param http endpoint of metrics and health, served by the launcher of the process
 * @param exposure the exposure to unauthenticated clients
 * @param sharding validation by several processes
 */
public record TransactionManagerConfig(
    String bindHost,
    int bindPort,
    String advertisedHost,
    String zookeeperQuorum,
    String zookeeperParent,
    Duration zookeeperSessionTimeout,
    Duration leaseDuration,
    Duration leaseRenewInterval,
    Duration timestampsAhead,
    int conflictTableCapacity,
    int decisionMemoryCapacity,
    int maxFrameBytes,
    int maxMessagesPerFrame,
    int maxConnections,
    int maxOutstandingPerConnection,
    int maxOutstanding,
    Duration handshakeTimeout,
    boolean eventLoopBusyPoll,
    Duration clockAheadLimit,
    SecuritySettings security,
    AdmissionSettings admission,
    Retention retention,
    HttpSettings http,
    Exposure exposure,
    Sharding sharding) {

  /** Common prefix of all properties. */
  public static final String PREFIX = "lampone.tm.";

  /** Default port. */
  public static final int DEFAULT_PORT = 17310;

  /** Maximum of durations without another limit. */
  static final Duration LONGEST = Duration.ofDays(1);

  private static final Map<String, BiConsumer<Builder, String>> SETTERS =
      Map.ofEntries(
          entry("bind.host", (b, v) -> b.bindHost(v)),
          entry("bind.port", (b, v) -> b.bindPort(Integer.parseInt(v))),
          entry("advertised.host", (b, v) -> b.advertisedHost(v)),
          entry("zookeeper.quorum", (b, v) -> b.zookeeperQuorum(v)),
          entry("zookeeper.parent", (b, v) -> b.zookeeperParent(v)),
          entry("zookeeper.session.timeout", (b, v) -> b.zookeeperSessionTimeout(duration(v))),
          entry("lease.duration", (b, v) -> b.leaseDuration(duration(v))),
          entry("lease.renew.interval", (b, v) -> b.leaseRenewInterval(duration(v))),
          entry("timestamps.ahead", (b, v) -> b.timestampsAhead(duration(v))),
          entry("conflict.table.capacity", (b, v) -> b.conflictTableCapacity(Integer.parseInt(v))),
          entry(
              "decision.memory.capacity", (b, v) -> b.decisionMemoryCapacity(Integer.parseInt(v))),
          entry("max.frame.bytes", (b, v) -> b.maxFrameBytes(Integer.parseInt(v))),
          entry("max.messages.per.frame", (b, v) -> b.maxMessagesPerFrame(Integer.parseInt(v))),
          entry("max.connections", (b, v) -> b.maxConnections(Integer.parseInt(v))),
          entry(
              "max.outstanding.per.connection",
              (b, v) -> b.maxOutstandingPerConnection(Integer.parseInt(v))),
          entry("max.outstanding", (b, v) -> b.maxOutstanding(Integer.parseInt(v))),
          entry("handshake.timeout", (b, v) -> b.handshakeTimeout(duration(v))),
          entry("event.loop.busy.poll", (b, v) -> b.eventLoopBusyPoll(bool(v))),
          entry("clock.ahead.limit", (b, v) -> b.clockAheadLimit(duration(v))));

  /** Returns a builder with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Reads the properties that begin with {@link #PREFIX}, and ignores all others.
   *
   * @throws IllegalArgumentException if one of them is unknown or has no usable value
   */
  public static TransactionManagerConfig fromProperties(Properties properties) {
    Builder builder = builder();
    Map<String, String> inSections = new HashMap<>();
    for (String name : new TreeSet<>(properties.stringPropertyNames())) {
      if (!name.startsWith(PREFIX)) {
        continue;
      }
      String shortName = name.substring(PREFIX.length());
      String value = properties.getProperty(name).trim();
      BiConsumer<Builder, String> setter = SETTERS.get(shortName);
      if (Sections.NAMES.contains(shortName)) {
        inSections.put(shortName, value);
      } else if (setter == null) {
        throw new IllegalArgumentException(
            "unknown property, "
                + NearestName.advice(name, propertyNames())
                + " name="
                + name
                + " known="
                + propertyNames());
      } else {
        try {
          setter.accept(builder, value);
        } catch (IllegalArgumentException e) {
          throw unusable(shortName, value, e);
        }
      }
    }
    PropertyValues values = new PropertyValues(inSections);
    return builder
        .security(Sections.security(values))
        .admission(Sections.admission(values))
        .retention(Sections.retention(values))
        .http(Sections.http(values))
        .exposure(Sections.exposure(values))
        .sharding(Sections.sharding(values))
        .build();
  }

  /** Returns the full names of all properties, sorted. */
  public static TreeSet<String> propertyNames() {
    TreeSet<String> names = new TreeSet<>();
    SETTERS.keySet().forEach(name -> names.add(PREFIX + name));
    Sections.NAMES.forEach(name -> names.add(PREFIX + name));
    return names;
  }

  static IllegalArgumentException unusable(String shortName, String value, Exception cause) {
    return new IllegalArgumentException(
        "property without a usable value, name="
            + PREFIX
            + shortName
            + " value="
            + value
            + " problem="
            + cause.getMessage(),
        cause);
  }

  /** Fails unless the value is positive and at most {@link #LONGEST}. */
  static void requireTime(String name, Duration value) {
    require(
        !value.isNegative() && !value.isZero() && value.compareTo(LONGEST) <= 0,
        name,
        value,
        "above zero, and at most " + LONGEST);
  }

  static void require(boolean holds, String name, Object value, String demand) {
    if (!holds) {
      throw new IllegalArgumentException(
          "property out of range, name="
              + PREFIX
              + name
              + " value="
              + value
              + " must be "
              + demand);
    }
  }

  /** Parses exactly {@code true} or {@code false}. */
  static boolean bool(String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("neither true nor false, value=" + text);
    };
  }

  /** Parses {@code 500ms}, {@code 2s}, {@code 1m} or an ISO 8601 duration such as {@code PT2S}. */
  static Duration duration(String text) {
    try {
      if (text.endsWith("ms")) {
        return Duration.ofMillis(Long.parseLong(text.substring(0, text.length() - 2).trim()));
      }
      if (text.startsWith("P")) {
        return Duration.parse(text);
      }
      String number = text.substring(0, Math.max(0, text.length() - 1)).trim();
      if (text.endsWith("s")) {
        return Duration.ofSeconds(Long.parseLong(number));
      }
      if (text.endsWith("m")) {
        return Duration.ofMinutes(Long.parseLong(number));
      }
    } catch (java.time.DateTimeException | ArithmeticException | NumberFormatException e) {
      throw new IllegalArgumentException("not a duration, value=" + text, e);
    }
    throw new IllegalArgumentException("duration without a unit (ms, s, m), value=" + text);
  }

  /** Builder that starts with the defaults. */
  public static final class Builder {

    private String bindHost = "";
    private int bindPort = DEFAULT_PORT;
    private String advertisedHost = "";
    private String zookeeperQuorum = "localhost:2181";
    private String zookeeperParent = ManagerRecord.DEFAULT_PARENT;
    private Duration zookeeperSessionTimeout = Duration.ofSeconds(10);
    private Duration leaseDuration = Duration.ofSeconds(2);
    private Duration leaseRenewInterval = Duration.ofMillis(500);
    private Duration timestampsAhead = Duration.ofSeconds(5);
    private int conflictTableCapacity = 1 << 22;
    private int decisionMemoryCapacity = 1 << 20;
    private int maxFrameBytes = 1 << 20;
    private int maxMessagesPerFrame = 4096;
    private int maxConnections = 4096;
    private int maxOutstandingPerConnection = 1 << 14;
    private int maxOutstanding = 1 << 20;
    private Duration handshakeTimeout = Duration.ofSeconds(5);
    private boolean eventLoopBusyPoll;
    private Duration clockAheadLimit = Duration.ofSeconds(5);
    private SecuritySettings security = SecuritySettings.OFF;
    private AdmissionSettings admission = AdmissionSettings.DEFAULT;
    private Retention retention = Retention.DEFAULT;
    private HttpSettings http = HttpSettings.DEFAULT;
    private Exposure exposure = Exposure.DEFAULT;
    private Sharding sharding = Sharding.DEFAULT;

    private Builder() {}

    public Builder bindHost(String value) {
      bindHost = value;
      return this;
    }

    public Builder bindPort(int value) {
      bindPort = value;
      return this;
    }

    public Builder advertisedHost(String value) {
      advertisedHost = value;
      return this;
    }

    public Builder zookeeperQuorum(String value) {
      zookeeperQuorum = value;
      return this;
    }

    public Builder zookeeperParent(String value) {
      zookeeperParent = value;
      return this;
    }

    public Builder zookeeperSessionTimeout(Duration value) {
      zookeeperSessionTimeout = value;
      return this;
    }

    public Builder leaseDuration(Duration value) {
      leaseDuration = value;
      return this;
    }

    public Builder leaseRenewInterval(Duration value) {
      leaseRenewInterval = value;
      return this;
    }

    public Builder timestampsAhead(Duration value) {
      timestampsAhead = value;
      return this;
    }

    public Builder conflictTableCapacity(int value) {
      conflictTableCapacity = value;
      return this;
    }

    public Builder decisionMemoryCapacity(int value) {
      decisionMemoryCapacity = value;
      return this;
    }

    public Builder maxFrameBytes(int value) {
      maxFrameBytes = value;
      return this;
    }

    public Builder maxMessagesPerFrame(int value) {
      maxMessagesPerFrame = value;
      return this;
    }

    public Builder maxConnections(int value) {
      maxConnections = value;
      return this;
    }

    public Builder maxOutstandingPerConnection(int value) {
      maxOutstandingPerConnection = value;
      return this;
    }

    public Builder maxOutstanding(int value) {
      maxOutstanding = value;
      return this;
    }

    public Builder handshakeTimeout(Duration value) {
      handshakeTimeout = value;
      return this;
    }

    public Builder eventLoopBusyPoll(boolean value) {
      eventLoopBusyPoll = value;
      return this;
    }

    public Builder clockAheadLimit(Duration value) {
      clockAheadLimit = value;
      return this;
    }

    public Builder security(SecuritySettings value) {
      security = value;
      return this;
    }

    public Builder admission(AdmissionSettings value) {
      admission = value;
      return this;
    }

    public Builder retention(Retention value) {
      retention = value;
      return this;
    }

    public Builder http(HttpSettings value) {
      http = value;
      return this;
    }

    public Builder exposure(Exposure value) {
      exposure = value;
      return this;
    }

    public Builder sharding(Sharding value) {
      sharding = value;
      return this;
    }

    /**
     * Checks all values and creates the configuration.
     *
     * @throws IllegalArgumentException if a value is out of range
     */
    public TransactionManagerConfig build() {
      within("bind.port", bindPort, 0, 65_535);
      text("zookeeper.quorum", zookeeperQuorum);
      require(zookeeperParent.matches("(/[^/]+)+"), "zookeeper.parent", zookeeperParent, "a path");
      requireTime("zookeeper.session.timeout", zookeeperSessionTimeout);
      requireTime("lease.duration", leaseDuration);
      require(
          leaseDuration.toMillis() >= LOWEST_LEASE_MILLIS,
          "lease.duration",
          leaseDuration,
          "at least " + LOWEST_LEASE_MILLIS + "ms");
      requireTime("lease.renew.interval", leaseRenewInterval);
      require(
          leaseRenewInterval.multipliedBy(2).compareTo(leaseDuration) <= 0,
          "lease.renew.interval",
          leaseRenewInterval,
          "at most half of lease.duration");
      requireTime("timestamps.ahead", timestampsAhead);
      require(
          timestampsAhead.compareTo(LONGEST_AHEAD) <= 0,
          "timestamps.ahead",
          timestampsAhead,
          "at most " + LONGEST_AHEAD + ", for nobody believes a bound that is far ahead");
      require(
          timestampsAhead.compareTo(leaseDuration) >= 0,
          "timestamps.ahead",
          timestampsAhead,
          "at least lease.duration");
      within("conflict.table.capacity", conflictTableCapacity, 1, MAX_CAPACITY);
      within("decision.memory.capacity", decisionMemoryCapacity, 1, MAX_CAPACITY);
      int leastFrame = FrameLayout.LOWEST_MAX_FRAME_BYTES;
      within("max.frame.bytes", maxFrameBytes, leastFrame, FrameLayout.HIGHEST_MAX_FRAME_BYTES);
      within("max.connections", maxConnections, 1, Integer.MAX_VALUE);
      // Each is a limit of the next: check the widest first, so that the error names the wrong one.
      within("max.outstanding", maxOutstanding, 1, Integer.MAX_VALUE);
      within("max.outstanding.per.connection", maxOutstandingPerConnection, 1, maxOutstanding);
      within("max.messages.per.frame", maxMessagesPerFrame, 1, maxOutstandingPerConnection);
      requireTime("handshake.timeout", handshakeTimeout);
      requireZeroOrTime("clock.ahead.limit", clockAheadLimit);
      Sections.check(security, admission, http);
      Sections.check(retention);
      Sections.check(sharding);
      Sections.check(security.tokens());
      return new TransactionManagerConfig(
          bindHost,
          bindPort,
          advertisedHost,
          zookeeperQuorum,
          zookeeperParent,
          zookeeperSessionTimeout,
          leaseDuration,
          leaseRenewInterval,
          timestampsAhead,
          conflictTableCapacity,
          decisionMemoryCapacity,
          maxFrameBytes,
          maxMessagesPerFrame,
          maxConnections,
          maxOutstandingPerConnection,
          maxOutstanding,
          handshakeTimeout,
          eventLoopBusyPoll,
          clockAheadLimit,
          security,
          admission,
          retention,
          http,
          exposure,
          sharding);
    }

    private static final Duration LONGEST_AHEAD = ManagerRecord.LONGEST_AHEAD.dividedBy(2);
    private static final int LOWEST_LEASE_MILLIS = 100;
    private static final int MAX_CAPACITY = 1 << 28;

    private static void requireZeroOrTime(String name, Duration value) {
      require(
          !value.isNegative() && value.compareTo(LONGEST) <= 0,
          name,
          value,
          "zero or more, and at most " + LONGEST);
    }

    private static void text(String name, String value) {
      require(!value.isBlank(), name, value, "not empty");
    }

    private static void within(String name, int value, int lowest, int highest) {
      require(
          value >= lowest && value <= highest,
          name,
          value,
          "between " + lowest + " and " + highest);
    }
  }
}
