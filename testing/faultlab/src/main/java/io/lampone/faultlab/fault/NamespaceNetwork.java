package io.lampone.faultlab.fault;

import io.lampone.cluster.Hosts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A network namespace for each member and client, all on one bridge. It lives in the namespaces of
 * an isolated lab and disappears with it.
 *
 * <p>A direction is cut by a wrong entry in the sender's neighbour table: its frames are sent to an
 * unused address. That is silent, like a broken switch, works on open connections, and needs no
 * packet filter in the kernel.
 */
public final class NamespaceNetwork implements Hosts {

  private static final String BRIDGE = "lampone0";
  private static final String DEVICE = "eth0";
  private static final String SUBNET = "10.77.0.";
  private static final String NOBODY = "02:00:00:00:de:ad";

  /** The lab itself has address 1. */
  private static final int FIRST_HOST = 10;

  private final Map<String, String> addresses = new LinkedHashMap<>();
  private final List<String> environment;
  private final Set<Cut> cuts = new TreeSet<>();

  private record Cut(String from, String to) implements Comparable<Cut> {
    @Override
    public int compareTo(Cut other) {
      return (from + " " + to).compareTo(other.from + " " + other.to);
    }
  }

  private NamespaceNetwork(List<String> hosts, List<String> environment) {
    this.environment = List.copyOf(environment);
    for (String host : hosts) {
      addresses.put(host, SUBNET + (FIRST_HOST + addresses.size()));
    }
  }

  /**
   * Creates the network; only in an isolated lab.
   *
   * @param environment {@code NAME=value} for all processes on it
   */
  public static NamespaceNetwork create(List<String> hosts, List<String> environment)
      throws IOException, InterruptedException {
    NamespaceNetwork network = new NamespaceNetwork(hosts, environment);
    SystemCommands.run("ip", "link", "set", "lo", "up");
    SystemCommands.run("ip", "link", "add", BRIDGE, "type", "bridge");
    SystemCommands.run("ip", "addr", "add", SUBNET + "1/24", "dev", BRIDGE);
    SystemCommands.run("ip", "link", "set", BRIDGE, "up");
    for (Map.Entry<String, String> host : network.addresses.entrySet()) {
      String name = host.getKey();
      String outside = "to-" + name;
      SystemCommands.run("ip", "netns", "add", name);
      SystemCommands.run(
          "ip", "link", "add", outside, "type", "veth", "peer", "name", DEVICE, "netns", name);
      SystemCommands.run("ip", "link", "set", outside, "master", BRIDGE, "up");
      SystemCommands.run("ip", "-n", name, "addr", "add", host.getValue() + "/24", "dev", DEVICE);
      SystemCommands.run("ip", "-n", name, "link", "set", DEVICE, "up");
      SystemCommands.run("ip", "-n", name, "link", "set", "lo", "up");
    }
    return network;
  }

  @Override
  public String address(String member) {
    String found = addresses.get(member);
    if (found == null) {
      throw new IllegalArgumentException("no such host, name=" + member);
    }
    return found;
  }

  @Override
  public List<String> prefix(String member) {
    List<String> prefix = new ArrayList<>(List.of("ip", "netns", "exec", member, "env"));
    prefix.addAll(environment);
    return prefix;
  }

  /** All hosts. */
  public Set<String> hosts() {
    return Set.copyOf(addresses.keySet());
  }

  /** Cuts the direction from one to the other. */
  synchronized void cut(String from, String to) throws IOException, InterruptedException {
    SystemCommands.run(
        "ip",
        "-n",
        from,
        "neigh",
        "replace",
        address(to),
        "lladdr",
        NOBODY,
        "nud",
        "permanent",
        "dev",
        DEVICE);
    cuts.add(new Cut(from, to));
  }

  /** Restores all directions. */
  synchronized void heal() throws IOException, InterruptedException {
    for (Cut cut : List.copyOf(cuts)) {
      SystemCommands.run("ip", "-n", cut.from(), "neigh", "del", address(cut.to()), "dev", DEVICE);
      cuts.remove(cut);
    }
  }
}
