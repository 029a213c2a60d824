package io.lampone.tm.command;

import java.util.List;

/**
 * Progress of this process's clients while authentication or TLS is being enabled.
 *
 * @param permissive whether clients without it are served
 * @param missing one entry for each connection that lacks a configured protection
 */
public record SecurityProgress(boolean permissive, List<Missing> missing) {

  /**
   * Protections that a connection lacks.
   *
   * @param principal the name that the client claims or has proved; may be empty
   * @param host its host
   * @param proved whether it has proved its name, or need not
   * @param tls whether it uses TLS, or need not
   */
  public record Missing(String principal, String host, boolean proved, boolean tls) {}

  public SecurityProgress {
    missing = List.copyOf(missing);
  }

  /** Returns the number of connections whose client has not proved its name. */
  public long unproved() {
    return missing.stream().filter(each -> !each.proved()).count();
  }

  /** Returns the number of connections without TLS. */
  public long plain() {
    return missing.stream().filter(each -> !each.tls()).count();
  }
}
