package io.lampone.tm.core;

import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.tm.SuccessorRecord;
import io.lampone.tm.core.RecordStore.Reading;
import io.lampone.tm.core.RecordStore.Swap;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The record as this primary has written it. Of a record that was read only the version counts:
 * every value that is written comes from this process, so nothing that a foreign hand wrote is ever
 * taken over, and bound and safe point cannot go back. What was read is compared with what may have
 * been applied: the last write that was acknowledged, and those on top of it whose outcome is
 * unknown. Not thread-safe: a part of {@link Primary}.
 */
final class OwnRecord {

  /** The version of a record that is not there. */
  private static final long ABSENT = -1;

  /** Writes of unknown outcome that are recognised; an older one would be taken for a foreign's. */
  private static final int MAX_UNKNOWN = 64;

  /** Origin of the record found by a read. */
  enum Finding {
    /** Written by this primary. */
    OWN,
    /** Written by another one, which has taken the epoch. */
    LATER_EPOCH,
    /** Written by no transaction manager, in this epoch or an earlier one. */
    FOREIGN
  }

  private final RecordStore store;

  /** The version on top of which the next write goes. */
  private long version;

  /** The last write that is known to have been applied. */
  private ManagerRecord record;

  /** Writes on top of {@link #version} whose outcome is unknown. */
  private final Deque<ManagerRecord> unknown = new ArrayDeque<>();

  /** The highest sequence written or tried: no two writes share one. */
  private long sequence;

  /** The highest bound written or tried. */
  private long bound;

  OwnRecord(RecordStore store, long version, ManagerRecord record) {
    this.store = store;
    this.version = version;
    this.record = record;
    this.sequence = record.leaseSequence();
    this.bound = record.bound();
  }

  /** The last write that is known to have been applied. */
  ManagerRecord record() {
    return record;
  }

  /**
   * The record to write next.
   *
   * @param wantedBound the bound is raised to this; it never goes back, though this primary does
   *     not use one that was not acknowledged
   * @param safePoint what this primary has decided on
   */
  ManagerRecord next(
      String address,
      boolean released,
      long wantedBound,
      long safePoint,
      Optional<SuccessorRecord> succession) {
    sequence++;
    bound = Math.max(bound, wantedBound);
    return new ManagerRecord(
        record.epoch(),
        record.holder(),
        address,
        sequence,
        record.leaseDurationMillis(),
        released,
        bound,
        record.floor(),
        safePoint,
        succession,
        record.proofsFrom());
  }

  /** Sends a record; its outcome is to be told by {@link #written} or {@link #inDoubt}. */
  CompletableFuture<Swap> write(ManagerRecord next) {
    return version == ABSENT ? store.create(next) : store.compareAndSet(version, next);
  }

  /** It was applied. */
  void written(long newVersion, ManagerRecord next) {
    version = newVersion;
    record = next;
    unknown.clear();
  }

  /** It was not applied as far as one can see: it may have been, or may be later. */
  void inDoubt(ManagerRecord next) {
    unknown.addLast(next);
    if (unknown.size() > MAX_UNKNOWN) {
      unknown.removeFirst();
    }
  }

  /** Judges what a read has found, and goes on from its version unless the epoch has moved. */
  Finding judge(Reading reading) {
    if (reading instanceof Reading.Present present) {
      if (present.version() == version && present.record().equals(record)) {
        return Finding.OWN;
      }
      if (unknown.contains(present.record())) {
        written(present.version(), present.record());
        return Finding.OWN;
      }
      if (present.record().epoch() > record.epoch()) {
        return Finding.LATER_EPOCH;
      }
      version = present.version();
    } else {
      version = reading instanceof Reading.Unreadable found ? found.version() : ABSENT;
    }
    unknown.clear();
    return Finding.FOREIGN;
  }
}
