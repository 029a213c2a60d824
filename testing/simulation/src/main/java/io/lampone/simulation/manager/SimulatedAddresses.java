package io.lampone.simulation.manager;

import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.simulation.world.Coordination;
import io.lampone.simulation.world.SimulatedMachine;
import io.lampone.simulation.world.SimulatedNetwork;
import io.lampone.tmclient.discovery.AddressSource;
import io.lampone.tmclient.discovery.PrimaryAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Addresses at which a machine looks for the primary: that of the record or, where that is not
 * reliable, one of the configured addresses, whatever process listens there.
 */
final class SimulatedAddresses implements AddressSource {

  private final SimulatedMachine owner;
  private final int incarnation;
  private final SimulatedNetwork network;
  private final Coordination coordination;
  private final List<SimulatedManager> managers;

  /** True if it names a rival of the primary in the record. */
  private final boolean rivals;

  SimulatedAddresses(
      SimulatedMachine owner,
      SimulatedNetwork network,
      Coordination coordination,
      List<SimulatedManager> managers,
      boolean rivals) {
    this.owner = owner;
    this.incarnation = owner.incarnation();
    this.network = network;
    this.coordination = coordination;
    this.managers = managers;
    this.rivals = rivals;
  }

  @Override
  public CompletableFuture<Optional<PrimaryAddress>> find() {
    return coordination.lookUp(owner).handle(this::choose);
  }

  private Optional<PrimaryAddress> choose(
      @Nullable Optional<ManagerRecord> record, @Nullable Throwable failure) {
    Optional<PrimaryAddress> named =
        record == null ? Optional.empty() : record.flatMap(PrimaryAddress::of);
    if (rivals) {
      return Optional.of(rivalOf(named));
    }
    if (network.misleads() && !coordination.isCutOff(owner)) {
      return Optional.of(owner.world().chance().pick(managers).primaryAddress());
    }
    if (failure != null) {
      throw new CompletionException(failure);
    }
    return named;
  }

  private PrimaryAddress rivalOf(Optional<PrimaryAddress> named) {
    return managers.stream()
        .map(SimulatedManager::primaryAddress)
        .filter(other -> named.isEmpty() || !other.address().equals(named.get().address()))
        .findFirst()
        .orElseThrow();
  }

  @Override
  public CompletableFuture<Void> whenMoved(Optional<PrimaryAddress> from) {
    CompletableFuture<Void> moved = new CompletableFuture<>();
    if (!rivals) {
      look(from, moved);
    }
    return moved;
  }

  /** The watch is set before the record is read, so that no change falls between the two. */
  private void look(Optional<PrimaryAddress> from, CompletableFuture<Void> moved) {
    if (moved.isDone() || owner.incarnation() != incarnation) {
      return;
    }
    coordination.watchOnce(owner, () -> look(from, moved));
    coordination
        .lookUp(owner)
        .whenComplete(
            (record, failure) -> {
              if (failure != null) {
                moved.completeExceptionally(failure);
              } else if (record
                  .flatMap(PrimaryAddress::of)
                  .filter(found -> from.map(found::succeeds).orElse(true))
                  .isPresent()) {
                moved.complete(null);
              }
            });
  }

  @Override
  public String toString() {
    return "simulated";
  }
}
