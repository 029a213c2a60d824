package io.lampone.tm.admission;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Settings of admission control.
 *
 * @param delayLimit delay at the event loop above which requests are refused
 * @param maxHalfOpen maximum connections in the handshake
 * @param tenantsFile file of quotas, in the format of {@link Quotas}; empty for none
 * @param tableAge minimum age to which conflicts and decisions of others are kept, however much one
 *     principal validates; zero for no limit
 * @param connectionsOfPrincipal maximum connections of a principal that has proved its name
 * @param connectionsOfRegionServer the same for a principal with the role region, per address
 * @param connectionsPerSecond maximum connections accepted per second; a quarter of them while many
 *     connections end quickly
 */
public record AdmissionSettings(
    Duration delayLimit,
    int maxHalfOpen,
    Optional<Path> tenantsFile,
    Duration tableAge,
    int connectionsOfPrincipal,
    int connectionsOfRegionServer,
    int connectionsPerSecond) {

  /** The property of {@link #connectionsOfPrincipal}, without its prefix. */
  public static final String CONNECTIONS_OF_PRINCIPAL = "admission.connections.of.principal";

  /** The property of {@link #connectionsOfRegionServer}, without its prefix. */
  public static final String CONNECTIONS_OF_REGION_SERVER =
      "admission.connections.of.region.server";

  /** The property of {@link #connectionsPerSecond}, without its prefix. */
  public static final String CONNECTIONS_PER_SECOND = "admission.connections.per.second";

  /** Maximum of {@link #connectionsPerSecond}. */
  public static final int HIGHEST_PER_SECOND = 1_000_000;

  /** Default settings. */
  public static final AdmissionSettings DEFAULT =
      new AdmissionSettings(Duration.ofMillis(10), 256, Optional.empty(), Duration.ofSeconds(10));

  /** Creates settings with the default limits on the connections of principals. */
  public AdmissionSettings(
      Duration delayLimit, int maxHalfOpen, Optional<Path> tenantsFile, Duration tableAge) {
    this(delayLimit, maxHalfOpen, tenantsFile, tableAge, 1024, 4, 2000);
  }

  /** Returns these settings with other limits on the connections of principals. */
  public AdmissionSettings withConnections(int ofPrincipal, int ofRegionServer) {
    return new AdmissionSettings(
        delayLimit,
        maxHalfOpen,
        tenantsFile,
        tableAge,
        ofPrincipal,
        ofRegionServer,
        connectionsPerSecond);
  }

  /** Returns these settings with another limit on new connections. */
  public AdmissionSettings withConnectionsPerSecond(int most) {
    return new AdmissionSettings(
        delayLimit,
        maxHalfOpen,
        tenantsFile,
        tableAge,
        connectionsOfPrincipal,
        connectionsOfRegionServer,
        most);
  }
}
