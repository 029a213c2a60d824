package io.lampone.benchmarks;

import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.tm.core.RecordStore;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Record store in memory that replaces ZooKeeper. The record is written twice a second and no
 * request waits for it, so that the store does not affect the measurement.
 */
public final class RecordInMemory implements RecordStore {

  /** Newest version; guarded by this. */
  private Optional<Reading.Present> current = Optional.empty();

  @Override
  public synchronized CompletableFuture<Reading> read() {
    return CompletableFuture.completedFuture(
        current.isPresent() ? current.get() : new Reading.Absent());
  }

  @Override
  public synchronized CompletableFuture<Swap> create(ManagerRecord record) {
    return CompletableFuture.completedFuture(swap(current.isEmpty(), 0, record));
  }

  @Override
  public synchronized CompletableFuture<Swap> compareAndSet(
      long expectedVersion, ManagerRecord record) {
    boolean matches = current.isPresent() && current.get().version() == expectedVersion;
    return CompletableFuture.completedFuture(swap(matches, expectedVersion + 1, record));
  }

  private Swap swap(boolean matches, long version, ManagerRecord record) {
    if (!matches) {
      return new Swap.Lost();
    }
    current = Optional.of(new Reading.Present(version, record));
    return new Swap.Applied(version);
  }
}
