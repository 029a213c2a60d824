package io.lampone.sql;

import io.lampone.cli.check.Finding;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Optional;
import org.apache.omid.transaction.HBaseOmidClientConfiguration;

/** Omid's timestamp oracle, which must not run beside Lampone. */
final class OmidOracle {

  private static final int PATIENCE_MILLIS = 2_000;

  private OmidOracle() {}

  /** Returns where Omid's clients of this class path look for it. */
  static String address() {
    return new HBaseOmidClientConfiguration().getConnectionString();
  }

  /** Returns a finding if something listens there. */
  static Optional<Finding> examine(String address) {
    if (!listens(address)) {
      return Optional.empty();
    }
    return Optional.of(
        Finding.fail(
            "omid",
            address,
            "something listens where Omid's clients look for their timestamp oracle (TSO)",
            "stop it: an SQL client without Lampone's jar would get a transaction of Omid's there,"
                + " instead of an error"));
  }

  private static boolean listens(String address) {
    int colon = address.lastIndexOf(':');
    if (colon < 0) {
      return false;
    }
    try (Socket socket = new Socket()) {
      int port = Integer.parseInt(address.substring(colon + 1).strip());
      socket.connect(
          new InetSocketAddress(address.substring(0, colon).strip(), port), PATIENCE_MILLIS);
      return true;
    } catch (IOException | IllegalArgumentException e) {
      return false;
    }
  }
}
