package io.lampone.tm.command;

import java.util.List;

/**
 * How far the clients of this process are while authentication or TLS is being switched on.
 *
 * @param permissive whether clients without it are served
 * @param missing one for each connection that lacks something which is set up here
 */
public record SecurityProgress(boolean permissive, List<Missing> missing) {

  /**
   * What a connection lacks.
   *
   * @param principal the name that the client claims, or has proved; may be empty
   * @param host where it is
   * @param proved whether it has proved its name, or need not
   * @param tls whether it has TLS, or need not
   */
  public record Missing(String principal, String host, boolean proved, boolean tls) {}

  public SecurityProgress {
    missing = List.copyOf(missing);
  }

  /** Connections whose client has not proved its name. */
  public long unproved() {
    return missing.stream().filter(each -> !each.proved()).count();
  }

  /** Connections without TLS. */
  public long plain() {
    return missing.stream().filter(each -> !each.tls()).count();
  }
}
