package io.lampone.faultlab;

import io.lampone.cluster.MemberRole;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Numbers of processes of a lab.
 *
 * @param zooKeepers odd
 * @param masters of HBase
 * @param regionServers at least one
 * @param managers transaction managers, at least one
 * @param clients at a time; one that is killed is replaced
 * @param threads of each client for each workload
 * @param validators besides the primary; 0 = the primary checks everything
 */
public record LabSize(
    int zooKeepers,
    int masters,
    int regionServers,
    int managers,
    int clients,
    int threads,
    int validators) {

  /** Each of them may die. */
  public static final LabSize FULL = new LabSize(3, 2, 3, 2, 3, 2);

  /** For a small machine: one ZooKeeper server and one master, both without faults. */
  public static final LabSize SMALL = new LabSize(1, 1, 2, 2, 2, 2);

  private static final int MOST = 16;
  private static final int MOST_VALIDATORS = 8;
  private static final int FIELDS = 7;

  /**
   * Checks it.
   *
   * @throws IllegalArgumentException if there cannot be such a lab
   */
  public LabSize {
    for (int count : new int[] {zooKeepers, masters, regionServers, managers, clients, threads}) {
      if (count < 1 || count > MOST) {
        throw new IllegalArgumentException(
            "numbers of processes and threads must be in 1.." + MOST + ", value=" + count);
      }
    }
    if (validators < 0 || validators > MOST_VALIDATORS) {
      throw new IllegalArgumentException(
          "validators must be in 0.." + MOST_VALIDATORS + ", value=" + validators);
    }
    if (zooKeepers % 2 == 0) {
      throw new IllegalArgumentException(
          "an even number of ZooKeeper servers survives no more than one less, zookeepers="
              + zooKeepers);
    }
  }

  /** Without validators. */
  public LabSize(
      int zooKeepers, int masters, int regionServers, int managers, int clients, int threads) {
    this(zooKeepers, masters, regionServers, managers, clients, threads, 0);
  }

  /** The same with validators. */
  public LabSize withValidators(int count) {
    return new LabSize(zooKeepers, masters, regionServers, managers, clients, threads, count);
  }

  /** Returns the number of servers of each role, by the prefix of their names. */
  Map<String, Integer> roles() {
    return new TreeMap<>(
        Map.of(
            MemberRole.ZOOKEEPER.prefix(), zooKeepers,
            MemberRole.MASTER.prefix(), masters,
            MemberRole.REGION_SERVER.prefix(), regionServers,
            MemberRole.MANAGER.prefix(), managers,
            MemberRole.VALIDATOR.prefix(), validators));
  }

  /** The names of all servers. */
  List<String> servers() {
    List<String> servers = new ArrayList<>();
    roles()
        .forEach(
            (prefix, count) -> {
              for (int i = 1; i <= count; i++) {
                servers.add(prefix + i);
              }
            });
    return servers;
  }

  /** The names of all hosts: one for each server, one for each client. */
  List<String> hosts() {
    List<String> hosts = new ArrayList<>(servers());
    for (int i = 0; i < clients; i++) {
      hosts.add(clientHost(i));
    }
    return hosts;
  }

  static String clientHost(int index) {
    return "client" + (index + 1);
  }

  /** Text that {@link #parse} reads. */
  @Override
  public String toString() {
    return zooKeepers
        + "-"
        + masters
        + "-"
        + regionServers
        + "-"
        + managers
        + "-"
        + clients
        + "-"
        + threads
        + "-"
        + validators;
  }

  static LabSize parse(String text) {
    String[] parts = text.split("-", -1);
    if (parts.length != FIELDS) {
      throw new IllegalArgumentException("not the size of a lab, text='" + text + "'");
    }
    int[] counts = new int[FIELDS];
    for (int i = 0; i < FIELDS; i++) {
      counts[i] = Integer.parseInt(parts[i]);
    }
    return new LabSize(counts[0], counts[1], counts[2], counts[3], counts[4], counts[5], counts[6]);
  }
}
