package io.lampone.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Composition of a cluster.
 *
 * @param folder holds everything: data, settings, logs, and the list of processes
 * @param zooKeepers how many ZooKeeper servers; odd
 * @param masters how many HBase masters
 * @param regionServers how many region servers
 * @param managers how many transaction managers; 0 for plain HBase
 * @param validators how many validators besides; they own nothing until they are added
 * @param sessionTimeout how long a silent server counts as alive
 * @param settings further HBase settings of servers and clients; those that begin with {@code
 *     lampone.tm.} go to the transaction managers
 */
public record ClusterPlan(
    Path folder,
    int zooKeepers,
    int masters,
    int regionServers,
    int managers,
    int validators,
    Duration sessionTimeout,
    Map<String, String> settings) {

  /** Maximum number of processes of one role. */
  public static final int MAX_OF_A_ROLE = 16;

  /** Principal and tenant of a client that is not one of the cluster's; it has the same secret. */
  public static final String STRANGER = "stranger";

  /** Shorter sessions expire on a busy machine. */
  public static final Duration SHORTEST_SESSION = Duration.ofSeconds(2);

  /**
   * Checks the plan.
   *
   * @throws IllegalArgumentException if the plan is invalid
   */
  public ClusterPlan {
    folder = folder.toAbsolutePath().normalize();
    within("zookeepers", zooKeepers, 1);
    within("masters", masters, 1);
    within("region servers", regionServers, 1);
    within("managers", managers, 0);
    within("validators", validators, 0);
    if (zooKeepers % 2 == 0) {
      throw new IllegalArgumentException(
          "an even number of ZooKeeper servers survives no more than one less, zookeepers="
              + zooKeepers);
    }
    if (sessionTimeout.compareTo(SHORTEST_SESSION) < 0) {
      throw new IllegalArgumentException(
          "session too short, sessionTimeout=" + sessionTimeout + " lowest=" + SHORTEST_SESSION);
    }
    settings = Collections.unmodifiableMap(new TreeMap<>(settings));
  }

  /** Without validators. */
  public ClusterPlan(
      Path folder,
      int zooKeepers,
      int masters,
      int regionServers,
      int managers,
      Duration sessionTimeout,
      Map<String, String> settings) {
    this(folder, zooKeepers, masters, regionServers, managers, 0, sessionTimeout, settings);
  }

  /** One of each, and two region servers. */
  public static ClusterPlan small(Path folder) {
    return new ClusterPlan(folder, 1, 1, 2, 1, Duration.ofSeconds(10), Map.of());
  }

  /** Plan with every role replicated, so that any one process may die. */
  public static ClusterPlan redundant(Path folder) {
    return new ClusterPlan(folder, 3, 2, 3, 2, Duration.ofSeconds(5), Map.of());
  }

  /** Returns this plan with settings added; they replace others of the same name. */
  ClusterPlan with(Map<String, String> changed) {
    Map<String, String> all = new TreeMap<>(settings);
    all.putAll(changed);
    return new ClusterPlan(
        folder, zooKeepers, masters, regionServers, managers, validators, sessionTimeout, all);
  }

  int count(MemberRole role) {
    return switch (role) {
      case ZOOKEEPER -> zooKeepers;
      case MASTER -> masters;
      case REGION_SERVER -> regionServers;
      case MANAGER -> managers;
      case VALIDATOR -> validators;
    };
  }

  private static void within(String what, int value, int lowest) {
    if (value < lowest || value > MAX_OF_A_ROLE) {
      throw new IllegalArgumentException(
          "number of "
              + what
              + " out of range, value="
              + value
              + " must be between "
              + lowest
              + " and "
              + MAX_OF_A_ROLE);
    }
  }
}
