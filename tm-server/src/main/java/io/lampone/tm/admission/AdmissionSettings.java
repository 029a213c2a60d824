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
 */
public record AdmissionSettings(
    Duration delayLimit, int maxHalfOpen, Optional<Path> tenantsFile, Duration tableAge) {

  /** Settings unless configured otherwise. */
  public static final AdmissionSettings DEFAULT =
      new AdmissionSettings(Duration.ofMillis(10), 256, Optional.empty(), Duration.ofSeconds(10));
}
