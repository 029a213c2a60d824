package io.lampone.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Finds unused ports on 127.0.0.1. */
final class Ports {

  /**
   * Number of ports that belong together: that of the member, and two beside it: for ZooKeeper's
   * servers among themselves, and one of them for a transaction manager's metrics.
   */
  static final int BLOCK = 3;

  /** Below the system's range of ephemeral ports. */
  private static final int LOWEST = 20_000;

  private static final int HIGHEST = 32_000;
  private static final int MAX_ATTEMPTS = 1_000;

  private final Random random;
  private final List<Integer> taken = new ArrayList<>();

  Ports(Random random) {
    this.random = random;
  }

  /** Returns the first of {@link #BLOCK} free ports; no port is returned twice. */
  int next() {
    for (int i = 0; i < MAX_ATTEMPTS; i++) {
      int first = LOWEST + random.nextInt((HIGHEST - LOWEST) / BLOCK) * BLOCK;
      if (!taken.contains(first) && isFree(first)) {
        taken.add(first);
        return first;
      }
    }
    throw new ClusterException(
        "no free ports found, between=" + LOWEST + " and=" + HIGHEST + " attempts=" + MAX_ATTEMPTS);
  }

  static int beside(int first, int index) {
    return first + index;
  }

  private static boolean isFree(int first) {
    for (int port = first; port < first + BLOCK; port++) {
      try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        probe.setReuseAddress(true);
      } catch (IOException e) {
        return false;
      }
    }
    return true;
  }
}
