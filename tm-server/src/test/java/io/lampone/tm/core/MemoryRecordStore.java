package io.lampone.tm.core;

import io.lampone.protocol.tm.ManagerRecord;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A record store that answers at once. Thread-safe. */
public final class MemoryRecordStore implements RecordStore {

  private Optional<Reading.Present> current = Optional.empty();
  private boolean garbled;

  /** What is there is no record any more. */
  synchronized void garble() {
    change();
    garbled = true;
  }

  /** The record is put back as it was, if it was garbled. */
  synchronized void repair() {
    if (garbled) {
      change();
      garbled = false;
    }
  }

  private void change() {
    Reading.Present old = current.orElseThrow();
    current = Optional.of(new Reading.Present(old.version() + 1, old.record()));
  }

  @Override
  public synchronized CompletableFuture<Reading> read() {
    if (current.isEmpty()) {
      return CompletableFuture.completedFuture(new Reading.Absent());
    }
    return CompletableFuture.completedFuture(
        garbled ? new Reading.Unreadable(current.get().version()) : current.get());
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

  public synchronized ManagerRecord record() {
    return current.orElseThrow().record();
  }

  private Swap swap(boolean matches, long version, ManagerRecord record) {
    if (!matches) {
      return new Swap.Lost();
    }
    current = Optional.of(new Reading.Present(version, record));
    garbled = false;
    return new Swap.Applied(version);
  }
}
