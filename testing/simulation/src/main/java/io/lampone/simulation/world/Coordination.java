package io.lampone.simulation.world;

import io.lampone.coprocessor.core.fence.ManagerRecordSource;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.simulation.invariant.InvariantChecker;
import io.lampone.tm.core.RecordStore;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * ZooKeeper: one register with versioned compare-and-set, watches, and sessions. It never dies; the
 * network to it is faulty. A write whose reply is lost, and one that is applied long after it was
 * reported as failed, look the same to the writer.
 */
public final class Coordination {

  /** Longest wait for an answer of ZooKeeper. */
  private static final Duration TIMEOUT = Duration.ofMillis(120);

  /** Longest time after its reported failure in which a write may still be applied. */
  private static final Duration LATEST = Duration.ofMillis(600);

  private final World world;
  private final SimulatedNetwork network;
  private final InvariantChecker invariantChecker;
  private final SimulatedMachine machine;
  private final List<Watch> watches = new ArrayList<>();
  private final List<Watch> once = new ArrayList<>();
  private final Map<SimulatedMachine, Long> cutOffUntilNanos = new HashMap<>();
  private final Map<SimulatedMachine, Long> deafUntilNanos = new HashMap<>();
  private final Map<String, Long> clocksAhead = new TreeMap<>();
  private Optional<RecordStore.Reading.Present> record = Optional.empty();

  private record Watch(SimulatedMachine owner, Runnable change) {}

  public Coordination(World world, SimulatedNetwork network, InvariantChecker invariantChecker) {
    this.world = world;
    this.network = network;
    this.invariantChecker = invariantChecker;
    this.machine = new SimulatedMachine(world, "zk");
  }

  public SimulatedMachine machine() {
    return machine;
  }

  /** Returns the record at this very moment. */
  public Optional<ManagerRecord> record() {
    return record.map(RecordStore.Reading.Present::record);
  }

  /** Drops all messages of {@code owner} until then. */
  void cutOff(SimulatedMachine owner, long untilNanos) {
    cutOffUntilNanos.put(owner, untilNanos);
  }

  public boolean isCutOff(SimulatedMachine owner) {
    return cutOffUntilNanos.getOrDefault(owner, 0L) > world.nowNanos();
  }

  /** Delays all notifications to {@code owner} until then; its reads still work. */
  void deafen(SimulatedMachine owner, long untilNanos) {
    deafUntilNanos.put(owner, untilNanos);
  }

  /** Calls {@code change} at {@code owner} some time after every change of the record. */
  public void watch(SimulatedMachine owner, Runnable change) {
    watches.removeIf(watch -> watch.owner() == owner);
    watches.add(new Watch(owner, change));
  }

  /** Calls {@code change} at {@code owner} some time after the next change of the record. */
  public void watchOnce(SimulatedMachine owner, Runnable change) {
    once.add(new Watch(owner, change));
  }

  /** The record as a transaction manager reaches it. */
  public RecordStore storeFor(SimulatedMachine owner) {
    return new RecordStore() {
      @Override
      public CompletableFuture<Reading> read() {
        return operate(owner, () -> record.isPresent() ? record.get() : new Reading.Absent());
      }

      @Override
      public CompletableFuture<Swap> create(ManagerRecord wanted) {
        return operate(owner, () -> swap(record.isEmpty(), 0, wanted, owner));
      }

      @Override
      public CompletableFuture<Swap> compareAndSet(long expectedVersion, ManagerRecord wanted) {
        return operate(
            owner,
            () ->
                swap(
                    record.filter(present -> present.version() == expectedVersion).isPresent(),
                    expectedVersion + 1,
                    wanted,
                    owner));
      }
    };
  }

  /** The record as a region server reads it: sync() first, so never older than the question. */
  public ManagerRecordSource nodeFor(SimulatedMachine owner) {
    return answer ->
        this.<Optional<ManagerRecord>>operate(owner, this::record)
            .whenComplete(
                (found, failure) -> {
                  if (failure != null) {
                    answer.failed("connection lost");
                  } else if (found.isEmpty()) {
                    answer.absent();
                  } else {
                    answer.record(found.get(), machine.clock().wallMillis());
                  }
                });
  }

  /**
   * Clock of a transaction manager compared with others.
   *
   * @param aheadOfStore lead over the clock here; in ms
   * @param aheadOfMembers lead over each other manager's clock at that one's last comparison; in ms
   */
  public record ClockComparison(long aheadOfStore, List<Long> aheadOfMembers) {}

  /**
   * Compares the clock of a transaction manager.
   *
   * @param wallMillis its reading
   */
  public CompletableFuture<ClockComparison> compare(SimulatedMachine owner, long wallMillis) {
    return operate(
        owner,
        () -> {
          long ahead = wallMillis - machine.clock().wallMillis();
          clocksAhead.put(owner.name(), ahead);
          List<Long> aheadOfMembers =
              clocksAhead.entrySet().stream()
                  .filter(other -> !other.getKey().equals(owner.name()))
                  .map(other -> ahead - other.getValue())
                  .toList();
          return new ClockComparison(ahead, aheadOfMembers);
        });
  }

  /** Returns the record for a client that discovers the primary. */
  public CompletableFuture<Optional<ManagerRecord>> lookUp(SimulatedMachine owner) {
    return operate(owner, this::record);
  }

  private RecordStore.Swap swap(
      boolean matches, long version, ManagerRecord wanted, SimulatedMachine writer) {
    if (!matches) {
      return new RecordStore.Swap.Lost();
    }
    record = Optional.of(new RecordStore.Reading.Present(version, wanted));
    if (world.isTraced()) {
      world.trace(
          "zk",
          "record of "
              + writer.name()
              + " epoch="
              + wanted.epoch()
              + " bound="
              + wanted.bound()
              + " floor="
              + wanted.floor()
              + " safePoint="
              + wanted.safePoint());
    }
    invariantChecker.recorded(wanted);
    List<Watch> told = new ArrayList<>(watches);
    told.addAll(once);
    once.clear();
    for (Watch watch : told) {
      watch.owner().after(network.watchNanos(), () -> tell(watch));
    }
    return new RecordStore.Swap.Applied(version);
  }

  /**
   * Notifies a watcher, which then reads the current record. The delay therefore applies on
   * arrival: a notification already under way must not arrive either.
   */
  private void tell(Watch watch) {
    long deafNanos = deafUntilNanos.getOrDefault(watch.owner(), 0L) - world.nowNanos();
    if (deafNanos > 0) {
      watch.owner().after(deafNanos, () -> tell(watch));
    } else {
      watch.change().run();
    }
  }

  /**
   * Runs an operation here.
   *
   * @param effect applied when the request arrives
   */
  public <T> CompletableFuture<T> operate(SimulatedMachine owner, Supplier<T> effect) {
    CompletableFuture<T> reply = new CompletableFuture<>();
    int born = owner.incarnation();
    long delay = network.delayNanos();
    if (isCutOff(owner)) {
      delay = Long.MAX_VALUE;
    } else if (network.isLost()) {
      delay = TIMEOUT.toNanos() + world.chance().nanosUpTo(LATEST);
      if (world.chance().oneIn(2)) {
        delay = Long.MAX_VALUE;
      }
    }
    if (delay != Long.MAX_VALUE) {
      machine.after(
          delay,
          () -> {
            T value = effect.get();
            if (owner.incarnation() == born) {
              network.send(owner, () -> reply.complete(value));
            }
          });
    }
    owner.after(
        TIMEOUT,
        () -> {
          if (!reply.isDone()) {
            reply.completeExceptionally(new IOException("no answer of ZooKeeper"));
          }
        });
    return reply;
  }
}
