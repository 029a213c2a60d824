package io.lampone.simulation.manager;

import io.lampone.simulation.world.SimulatedMachine;
import io.lampone.simulation.world.SimulatedNetwork;
import io.lampone.tmclient.Transport;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Transport of a machine to transaction managers: the real client's decisions run over links. */
final class SimulatedTransport implements Transport {

  private final SimulatedMachine owner;
  private final SimulatedNetwork network;

  /** Transaction managers, and validators. */
  private final List<SimulatedManager> servers;

  private @Nullable Link newest;
  private long epoch;

  SimulatedTransport(
      SimulatedMachine owner, SimulatedNetwork network, List<SimulatedManager> servers) {
    this.owner = owner;
    this.network = network;
    this.servers = servers;
  }

  @Override
  public CompletableFuture<InetSocketAddress> resolve(InetSocketAddress address) {
    return CompletableFuture.completedFuture(
        serverAt(address.getHostString()).map(SimulatedManager::socketAddress).orElse(address));
  }

  @Override
  public void connect(InetSocketAddress address, Listener listener) {
    SimulatedManager server = serverAt(address.getHostString()).orElseThrow();
    Link link = new Link(this, server, listener);
    if (!server.isValidator()) {
      newest = link;
    }
    listener.begun(link);
    link.open();
  }

  private Optional<SimulatedManager> serverAt(String host) {
    return servers.stream().filter(server -> server.name().equals(host)).findFirst();
  }

  SimulatedMachine owner() {
    return owner;
  }

  SimulatedNetwork network() {
    return network;
  }

  /** Disconnects the client from its server; it looks for the primary at once. */
  void disconnect() {
    Link link = newest;
    if (link != null && link.epoch() > 0) {
      link.dismiss();
    }
  }

  /** The epoch of the primary that has answered last. */
  long epoch() {
    return epoch;
  }

  /** Notes the epoch of a connection before a message of it is delivered. */
  void hears(Link link) {
    if (link == newest && link.epoch() > 0) {
      epoch = link.epoch();
    }
  }
}
