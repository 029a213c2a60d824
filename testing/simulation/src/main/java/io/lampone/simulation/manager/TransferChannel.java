package io.lampone.simulation.manager;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.Transfer;
import io.lampone.simulation.world.SimulatedNetwork;
import io.lampone.simulation.world.World;
import io.lampone.tm.core.transfer.TransferLink;
import io.lampone.tm.core.transfer.TransferSource;

/**
 * The connection over which a primary hands over: messages arrive in order, until the connection
 * breaks or one of the two dies. Each end notices that some time later, or never.
 */
final class TransferChannel implements TransferLink, TransferSource {

  private final SimulatedNetwork network;
  private final SimulatedManager giver;
  private final SimulatedManager heir;
  private final TransferLink.Listener listener;
  private final World world;
  private final int heirIncarnation;
  private final int giverIncarnation;
  private boolean over;

  /** True once the giver has closed it. */
  private boolean closed;

  private long lastAtHeirNanos;
  private long lastAtGiverNanos;

  TransferChannel(
      SimulatedNetwork network,
      SimulatedManager giver,
      SimulatedManager heir,
      TransferLink.Listener listener) {
    this.network = network;
    this.giver = giver;
    this.heir = heir;
    this.listener = listener;
    this.world = giver.world();
    this.heirIncarnation = heir.incarnation();
    this.giverIncarnation = giver.incarnation();
    toGiver(() -> listener.opened(Capabilities.ASSIGNED | Capabilities.BUCKETS));
  }

  @Override
  public void send(Transfer part) {
    if (over) {
      return;
    }
    if (network.isLost() || !heir.isUp() || heir.incarnation() != heirIncarnation) {
      breakOff();
      return;
    }
    lastAtHeirNanos = Math.max(world.nowNanos() + network.delayNanos(), lastAtHeirNanos + 1);
    heir.after(
        lastAtHeirNanos - world.nowNanos(),
        () -> {
          if (!over) {
            deliver(part);
          }
        });
  }

  private void deliver(Transfer part) {
    try {
      heir.node().receive(this, part);
    } catch (MalformedException e) {
      breakOff();
    }
  }

  @Override
  public void reply(Transfer.Reply reply) {
    if (network.isLost()) {
      breakOff();
    } else {
      toGiver(() -> listener.received(reply));
    }
  }

  @Override
  public void close() {
    over = true;
    closed = true;
    tellHeir();
  }

  private void breakOff() {
    if (!over) {
      over = true;
      if (giver.incarnation() == giverIncarnation) {
        giver.after(
            network.delayNanos(),
            () -> {
              if (!closed) {
                listener.closed("broken");
              }
            });
      }
      tellHeir();
    }
  }

  private void tellHeir() {
    if (heir.isUp() && heir.incarnation() == heirIncarnation) {
      heir.after(network.delayNanos(), () -> heir.node().left(this));
    }
  }

  /** Delivers to the giver, unless it has died since, reborn or not. */
  private void toGiver(Runnable delivery) {
    if (giver.incarnation() != giverIncarnation) {
      return;
    }
    lastAtGiverNanos = Math.max(world.nowNanos() + network.delayNanos(), lastAtGiverNanos + 1);
    giver.after(
        lastAtGiverNanos - world.nowNanos(),
        () -> {
          if (!over) {
            delivery.run();
          }
        });
  }
}
