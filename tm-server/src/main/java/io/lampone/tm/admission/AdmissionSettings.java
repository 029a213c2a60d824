package io.lampone.tm.admission;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Settings of admission control.
 *
 * @param delayLimit how long a request may wait for the event loop before others are refused for it
 * @param maxHalfOpen connections that may be in the handshake at a time
 * @param tenantsFile quotas, in the form of {@link Tenants}; empty for none
 * @param tableAge how long conflicts and decisions of the others are kept however much one
 *     principal validates; zero for no limit
 * @param connectionsOfPrincipal the most connections of a principal that has proved its name
 * @param connectionsOfRegionServer the same for a principal with the role region, for each address
 * @param connectionsPerSecond the most connections that are accepted in a second; a quarter of them
 *     while many end at once
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

  /** The highest {@link #connectionsPerSecond}. */
  public static final int HIGHEST_PER_SECOND = 1_000_000;

  /** Settings unless configured otherwise. */
  public static final AdmissionSettings DEFAULT =
      new AdmissionSettings(Duration.ofMillis(10), 256, Optional.empty(), Duration.ofSeconds(10));

  /** With the default limits on the connections of principals. */
  public AdmissionSettings(
      Duration delayLimit, int maxHalfOpen, Optional<Path> tenantsFile, Duration tableAge) {
    this(delayLimit, maxHalfOpen, tenantsFile, tableAge, 1024, 4, 2000);
  }

  /** With these limits on the connections of principals. */
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

  /** With this limit on new connections. */
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
