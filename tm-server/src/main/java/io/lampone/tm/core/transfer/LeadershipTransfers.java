package io.lampone.tm.core.transfer;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.tm.SuccessorRecord;
import io.lampone.tm.core.ManagerSettings;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The hand-overs of a primary, one at a time. Not thread-safe: a part of {@code Primary}. */
public final class LeadershipTransfers {

  private final ManagerSettings settings;
  private final Clock clock;
  private final PrimaryState primaryState;

  /** The last hand-over, ended or not. */
  private Optional<LeadershipTransfer> last = Optional.empty();

  /** Number of hand-overs, which makes their names unique. */
  private long count;

  public LeadershipTransfers(ManagerSettings settings, Clock clock, PrimaryState primaryState) {
    this.settings = settings;
    this.clock = clock;
    this.primaryState = primaryState;
  }

  /**
   * Begins a hand-over; none may be under way.
   *
   * @param successor holder of the backup at {@code address}
   * @param epoch the epoch of this primary
   */
  public CompletableFuture<TransferResult> begin(
      LeadershipTransfer.Owner owner,
      String successor,
      String address,
      long epoch,
      TransferLink.Connector connector) {
    count++;
    String id = TransferName.of(settings.holder(), count, successor);
    LeadershipTransfer begun =
        new LeadershipTransfer(
            owner,
            clock,
            primaryState,
            new LeadershipTransfer.Plan(
                address, new SuccessorRecord(successor, id), epoch, settings.transferChunk()),
            connector);
    last = Optional.of(begun);
    return begun.result();
  }

  /** Returns the last hand-over, ended or not. */
  public Optional<LeadershipTransfer> last() {
    return last;
  }

  /** Returns true if a hand-over has not ended. */
  public boolean isUnderWay() {
    return last.isPresent() && !last.get().isOver();
  }

  /** See {@link LeadershipTransfer#neverWritten}. */
  public void neverWritten() {
    last().ifPresent(LeadershipTransfer::neverWritten);
  }

  /** Returns true if the record that names the successor has been sent, and may be applied. */
  public boolean isWriting() {
    return last().filter(LeadershipTransfer::isWriting).isPresent();
  }

  /** Returns true if nothing may be decided or answered. */
  public boolean isSealed() {
    return last.isPresent() && last.get().isSealed();
  }

  /** Returns true if this primary can no longer prevent that another one leads. */
  public boolean isBeyondReturn() {
    return last.isPresent() && last.get().isBeyondReturn();
  }

  /**
   * Returns the hand-over of unknown outcome that has taken place by the record of a later epoch:
   * only an heir keeps the floor, and its renewals do not name the hand-over.
   *
   * @param floor the floor of this primary
   */
  public Optional<LeadershipTransfer> inherited(ManagerRecord later, long floor) {
    return last.filter(given -> given.isWriting() && later.floor() == floor);
  }

  /** Returns the hand-over of unknown outcome that is named in this primary's own record. */
  public Optional<LeadershipTransfer> arranged(ManagerRecord found) {
    return last.filter(
        given -> given.isWriting() && found.succession().equals(Optional.of(given.succession())));
  }
}
