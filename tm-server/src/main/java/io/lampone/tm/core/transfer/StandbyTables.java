package io.lampone.tm.core.transfer;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.wire.Transfer;
import io.lampone.tm.core.ManagerSettings;
import java.util.Optional;

/**
 * Tables with which a backup may lead: those of a hand-over, complete or not, and empty ones.
 * Memory suffices for two sets, not for three.
 */
public final class StandbyTables {

  private final ManagerSettings settings;
  private final Clock clock;

  /** Complete or partial state from the primary. */
  private Optional<ReceivedState> received = Optional.empty();

  /**
   * Empty tables for an offer or an unplanned takeover. They are allocated in advance, because that
   * takes tens of milliseconds, during which no client would be answered. Empty once something has
   * been recorded in them.
   */
  private Optional<PrimaryState> spare;

  public StandbyTables(ManagerSettings settings, Clock clock) {
    this.settings = settings;
    this.clock = clock;
    this.spare = Optional.of(PrimaryState.empty(settings, clock));
  }

  /** Returns the state from the primary, if a hand-over has been offered. */
  public Optional<ReceivedState> received() {
    return received;
  }

  /** Accepts a hand-over; replaces an earlier one. */
  public void accept(Transfer.Offer offer, TransferSource from) {
    // Drop those of an earlier offer first: memory suffices for two sets of tables, not for three.
    received = Optional.empty();
    received = Optional.of(new ReceivedState(offer, from, empty(), clock));
    spare = Optional.empty();
  }

  /** Discards the received tables and allocates new ones, while no client waits for a backup. */
  public void forgetReceived() {
    received = Optional.empty();
    empty();
  }

  /** Returns empty tables. */
  public PrimaryState empty() {
    if (spare.isEmpty()) {
      spare = Optional.of(PrimaryState.empty(settings, clock));
    }
    return spare.get().withoutHolds(clock);
  }
}
