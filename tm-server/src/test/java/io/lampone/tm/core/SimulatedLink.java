package io.lampone.tm.core;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.Transfer;
import io.lampone.tm.core.transfer.TransferLink;
import io.lampone.tm.core.transfer.TransferSource;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A connection between two simulated nodes: in order, without loss while it lasts, as slow as the
 * test likes, and gone at any moment with whatever is under way.
 */
final class SimulatedLink implements TransferLink, TransferSource {

  private final TransferLink.Listener giver;

  /** The process at the other end, as it was when the connection was made. */
  private final ManagerNode heir;

  private final long capabilities;

  private final Deque<Transfer> toHeir = new ArrayDeque<>();
  private final Deque<Transfer.Reply> toGiver = new ArrayDeque<>();
  private boolean opened;
  private boolean closedByGiver;
  private boolean broken;
  private boolean giverKnows;

  SimulatedLink(TransferLink.Listener giver, ManagerNode heir) {
    this(giver, heir, Capabilities.ASSIGNED);
  }

  SimulatedLink(TransferLink.Listener giver, ManagerNode heir, long capabilities) {
    this.giver = giver;
    this.heir = heir;
    this.capabilities = capabilities;
  }

  @Override
  public void send(Transfer part) {
    if (!closedByGiver && !broken) {
      toHeir.add(part);
    }
  }

  @Override
  public void close() {
    closedByGiver = true;
  }

  @Override
  public void reply(Transfer.Reply reply) {
    if (!broken) {
      toGiver.add(reply);
    }
  }

  /** The connection is lost, with everything under way. */
  void breakOff() {
    broken = true;
    toHeir.clear();
    toGiver.clear();
  }

  boolean isOver() {
    return (broken || closedByGiver) && (giverKnows || closedByGiver) && toHeir.isEmpty();
  }

  boolean hasForHeir() {
    return !toHeir.isEmpty() || broken || closedByGiver;
  }

  /** One part arrives, or the end does. */
  void deliverToHeir() {
    if (toHeir.isEmpty()) {
      heir.left(this);
      return;
    }
    try {
      heir.receive(this, toHeir.remove());
    } catch (MalformedException e) {
      breakOff();
    }
  }

  /** One answer arrives, or the beginning or the end does. */
  void deliverToGiver() {
    if (closedByGiver || giverKnows) {
      return;
    }
    if (broken) {
      giverKnows = true;
      giver.closed("broken");
    } else if (!opened) {
      opened = true;
      giver.opened(capabilities);
    } else if (!toGiver.isEmpty()) {
      giver.received(toGiver.remove());
    }
  }
}
