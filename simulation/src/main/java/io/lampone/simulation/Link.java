package io.lampone.simulation;

import java.time.Duration;

/**
 * One connection of a client to a transaction manager: what is sent in one direction arrives in its
 * order, until the connection breaks. Then replies are lost, and requests that are under way may
 * still be executed.
 */
final class Link {

  /** What is held up on its way, shorter than anybody's patience. */
  private static final Duration LONGEST_HELD = Duration.ofMillis(60);

  private final World world;
  private final Network network;
  private final Machine client;
  private final ManagerProcess server;
  private final int clientIncarnation;
  private final int serverIncarnation;
  private boolean broken;
  private long lastAtServerNanos;
  private long lastAtClientNanos;

  Link(World world, Network network, Machine client, ManagerProcess server) {
    this.world = world;
    this.network = network;
    this.client = client;
    this.server = server;
    this.clientIncarnation = client.incarnation();
    this.serverIncarnation = server.incarnation();
  }

  ManagerProcess server() {
    return server;
  }

  boolean isBroken() {
    return broken;
  }

  void breakOff() {
    broken = true;
  }

  void toServer(Runnable delivery) {
    if (network.isLost() || !server.isUp() || server.incarnation() != serverIncarnation) {
      broken = true;
      return;
    }
    Chance chance = world.chance();
    long heldNanos = client.isLinkSlow() && chance.oneIn(2) ? chance.nanosUpTo(LONGEST_HELD) : 0;
    long at = Math.max(world.nowNanos() + network.delayNanos() + heldNanos, lastAtServerNanos + 1);
    lastAtServerNanos = at;
    server.after(
        at - world.nowNanos(),
        () -> {
          if (!broken || world.chance().oneIn(2)) {
            delivery.run();
          }
        });
  }

  void toClient(Runnable delivery) {
    if (network.isAnswerLost() || client.incarnation() != clientIncarnation) {
      broken = true;
    }
    if (broken) {
      return;
    }
    long at = Math.max(world.nowNanos() + network.delayNanos(), lastAtClientNanos + 1);
    lastAtClientNanos = at;
    client.after(
        at - world.nowNanos(),
        () -> {
          if (!broken) {
            delivery.run();
          }
        });
  }
}
