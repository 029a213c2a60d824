package io.lampone.tm.core;

import io.lampone.protocol.tm.ManagerRecord;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Store of the transaction manager's record: a linearizable register with versioned
 * compare-and-set. A read returns only committed state, and sees everything that was acknowledged
 * before the read was sent.
 *
 * <p>A failed future is inconclusive: the compare-and-set may have been applied, may not have been,
 * or may be applied later. Futures complete on any thread.
 */
public interface RecordStore {

  /** Reads the record. */
  CompletableFuture<Reading> read();

  /** Creates the record if there is none. */
  CompletableFuture<Swap> create(ManagerRecord record);

  /** Replaces the record if it has this version. */
  CompletableFuture<Swap> compareAndSet(long expectedVersion, ManagerRecord record);

  /** Result of a read. */
  sealed interface Reading {

    /** There is no record. */
    record Absent() implements Reading {}

    /** The record and its version. */
    record Present(long version, ManagerRecord record) implements Reading {}

    /** Content of this version that is not a record. */
    record Unreadable(long version) implements Reading {}

    /** A record of another format, possibly of a later version: it must not be overwritten. */
    record OtherFormat() implements Reading {}
  }

  /** Result of a write. */
  sealed interface Swap {

    /** Applied; the record now has this version. */
    record Applied(long version) implements Swap {}

    /** Not applied: the record has another version, exists already, or is gone. */
    record Lost() implements Swap {}
  }

  /** Record store in memory, for rehearsals and measurements. Thread-safe. */
  final class InMemory implements RecordStore {

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
      // Encode and decode, as ZooKeeper would.
      current = Optional.of(new Reading.Present(version, ManagerRecord.decode(record.encode())));
      return new Swap.Applied(version);
    }
  }
}
