package io.lampone.tm;

import io.lampone.protocol.config.NearestName;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.tm.admission.AdmissionSettings;
import io.lampone.tm.core.Retention;
import io.lampone.tm.core.validation.Sharding;
import io.lampone.tm.http.HttpSettings;
import io.lampone.tm.net.ServerLimits;
import io.lampone.tm.security.SecuritySettings;
import java.time.Duration;
import java.util.Properties;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

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

  /** Returns a builder with the defaults. */
  public static Builder builder() {
    return new Builder(name -> null);
  }

  /**
   * Reads the properties that begin with {@link #PREFIX}, and ignores all others.
   *
   * @throws IllegalArgumentException if one of them is unknown or has no usable value
   */
  public static TransactionManagerConfig fromProperties(Properties properties) {
    TreeSet<String> known = propertyNames();
    for (String name : new TreeSet<>(properties.stringPropertyNames())) {
      if (name.startsWith(PREFIX) && !known.contains(name)) {
        throw new IllegalArgumentException(
            "unknown property, "
                + NearestName.advice(name, known)
                + " name="
                + name
                + " known="
                + known);
      }
    }
    return new Builder(properties::getProperty).build();
  }

  /** Returns the full names of all properties, sorted. */
  public static TreeSet<String> propertyNames() {
    return TmSettings.names();
  }

  /** Returns the limits on clients. */
  ServerLimits limits() {
    return new ServerLimits(
        maxFrameBytes,
        maxMessagesPerFrame,
        maxConnections,
        maxOutstandingPerConnection,
        maxOutstanding,
        conflictTableCapacity,
        decisionMemoryCapacity,
        handshakeTimeout);
  }

  /** Builder that starts with the defaults. */
  public static final class Builder {

    private String bindHost;
    private int bindPort;
    private String advertisedHost;
    private String zookeeperQuorum;
    private String zookeeperParent;
    private Duration zookeeperSessionTimeout;
    private Duration leaseDuration;
    private Duration leaseRenewInterval;
    private Duration timestampsAhead;
    private int conflictTableCapacity;
    private int decisionMemoryCapacity;
    private int maxFrameBytes;
    private int maxMessagesPerFrame;
    private int maxConnections;
    private int maxOutstandingPerConnection;
    private int maxOutstanding;
    private Duration handshakeTimeout;
    private boolean eventLoopBusyPoll;
    private Duration clockAheadLimit;
    private SecuritySettings security;
    private AdmissionSettings admission;
    private Retention retention;
    private HttpSettings http;
    private Exposure exposure;
    private Sharding sharding;

    private Builder(Function<String, @Nullable String> values) {
      bindHost = TmSettings.BIND_HOST.read(values);
      bindPort = TmSettings.BIND_PORT.read(values);
      advertisedHost = TmSettings.ADVERTISED_HOST.read(values);
      zookeeperQuorum = TmSettings.ZOOKEEPER_QUORUM.read(values);
      zookeeperParent = TmSettings.ZOOKEEPER_PARENT.read(values);
      zookeeperSessionTimeout = TmSettings.ZOOKEEPER_SESSION_TIMEOUT.read(values);
      leaseDuration = TmSettings.LEASE_DURATION.read(values);
      leaseRenewInterval = TmSettings.LEASE_RENEW_INTERVAL.read(values);
      timestampsAhead = TmSettings.TIMESTAMPS_AHEAD.read(values);
      conflictTableCapacity = TmSettings.CONFLICT_TABLE_CAPACITY.read(values);
      decisionMemoryCapacity = TmSettings.DECISION_MEMORY_CAPACITY.read(values);
      maxFrameBytes = TmSettings.MAX_FRAME_BYTES.read(values).intValue();
      maxMessagesPerFrame = TmSettings.MAX_MESSAGES_PER_FRAME.read(values);
      maxConnections = TmSettings.MAX_CONNECTIONS.read(values);
      maxOutstandingPerConnection = TmSettings.MAX_OUTSTANDING_PER_CONNECTION.read(values);
      maxOutstanding = TmSettings.MAX_OUTSTANDING.read(values);
      handshakeTimeout = TmSettings.HANDSHAKE_TIMEOUT.read(values);
      eventLoopBusyPoll = TmSettings.EVENT_LOOP_BUSY_POLL.read(values);
      clockAheadLimit = TmSettings.CLOCK_AHEAD_LIMIT.read(values);
      security = Sections.security(values);
      admission = Sections.admission(values);
      retention = Sections.retention(values);
      http = Sections.http(values);
      exposure = Sections.exposure(values);
      sharding = Sections.sharding(values);
    }

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

    public Builder handshakeTimeout(Duration value) {
      handshakeTimeout = value;
      return this;
    }

    public Builder eventLoopBusyPoll(boolean value) {
      eventLoopBusyPoll = value;
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
      TmSettings.BIND_PORT.check(bindPort);
      TmSettings.ZOOKEEPER_QUORUM.require(!zookeeperQuorum.isBlank(), zookeeperQuorum, "not empty");
      TmSettings.ZOOKEEPER_PARENT.check(zookeeperParent);
      TmSettings.ZOOKEEPER_SESSION_TIMEOUT.check(zookeeperSessionTimeout);
      TmSettings.LEASE_DURATION.check(leaseDuration);
      TmSettings.LEASE_RENEW_INTERVAL.check(leaseRenewInterval);
      TmSettings.LEASE_RENEW_INTERVAL.require(
          leaseRenewInterval.compareTo(leaseDuration.dividedBy(2)) <= 0,
          leaseRenewInterval,
          "at most half of lease.duration");
      TmSettings.TIMESTAMPS_AHEAD.check(timestampsAhead);
      TmSettings.TIMESTAMPS_AHEAD.require(
          timestampsAhead.compareTo(leaseDuration) >= 0,
          timestampsAhead,
          "at least lease.duration");
      TmSettings.CONFLICT_TABLE_CAPACITY.check(conflictTableCapacity);
      TmSettings.DECISION_MEMORY_CAPACITY.check(decisionMemoryCapacity);
      TmSettings.MAX_FRAME_BYTES.check((long) maxFrameBytes);
      TmSettings.MAX_CONNECTIONS.check(maxConnections);
      // Each is a limit of the next: check the widest first, so that the error names the wrong one.
      TmSettings.MAX_OUTSTANDING.check(maxOutstanding);
      TmSettings.MAX_OUTSTANDING_PER_CONNECTION.check(maxOutstandingPerConnection);
      TmSettings.MAX_OUTSTANDING_PER_CONNECTION.require(
          maxOutstandingPerConnection <= maxOutstanding,
          maxOutstandingPerConnection,
          "at most max.outstanding");
      TmSettings.MAX_MESSAGES_PER_FRAME.check(maxMessagesPerFrame);
      TmSettings.MAX_MESSAGES_PER_FRAME.require(
          maxMessagesPerFrame <= maxOutstandingPerConnection,
          maxMessagesPerFrame,
          "at most max.outstanding.per.connection");
      TmSettings.HANDSHAKE_TIMEOUT.check(handshakeTimeout);
      TmSettings.CLOCK_AHEAD_LIMIT.check(clockAheadLimit);
      TmSettings.CLOCK_AHEAD_LIMIT.require(
          clockAheadLimit.plus(timestampsAhead).compareTo(ManagerRecord.LONGEST_AHEAD) <= 0,
          clockAheadLimit,
          "with timestamps.ahead at most 60s: backups believe no record that is further ahead");
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
  }
}
