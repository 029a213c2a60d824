package io.lampone.tm.core;

import io.lampone.protocol.tm.ManagerRecord;
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

  /** Reads the record. Fails with {@code MalformedException} if it has another format. */
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
  }

  /** Result of a write. */
  sealed interface Swap {

    /** Applied; the record now has this version. */
    record Applied(long version) implements Swap {}

    /** Not applied: the record has another version, exists already, or is gone. */
    record Lost() implements Swap {}
  }
}
