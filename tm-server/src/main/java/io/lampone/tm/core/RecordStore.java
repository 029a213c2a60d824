package io.lampone.tm.core;

import io.lampone.protocol.tm.ManagerRecord;
import java.util.concurrent.CompletableFuture;

/**
 * Store of the one record of the transaction manager: a register with versioned compare-and-set.
 * What has been read has been committed, and a read sees everything that was acknowledged before it
 * was sent.
 *
 * <p>A failed future is inconclusive: the compare-and-set may have been applied, not applied, or
 * may be applied later. Futures complete on any thread.
 */
public interface RecordStore {

  /** Reads the record. Fails with {@code MalformedException} if it has another format. */
  CompletableFuture<Reading> read();

  /** Writes the record if there is none. */
  CompletableFuture<Swap> create(ManagerRecord record);

  /** Writes the record if it has this version. */
  CompletableFuture<Swap> compareAndSet(long expectedVersion, ManagerRecord record);

  /** Result of a read. */
  sealed interface Reading {

    /** There is no record. */
    record Absent() implements Reading {}

    /** The record and its version. */
    record Present(long version, ManagerRecord record) implements Reading {}

    /** Something of this version that is no record. */
    record Unreadable(long version) implements Reading {}
  }

  /** Result of a write. */
  sealed interface Swap {

    /** It was applied; the record has this version now. */
    record Applied(long version) implements Swap {}

    /** It was not applied: the record has another version, or exists, or is gone. */
    record Lost() implements Swap {}
  }
}
