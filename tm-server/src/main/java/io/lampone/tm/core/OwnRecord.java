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
 * The record as written by this primary. Only the version of a record that was read counts: every
 * value written comes from this process, so no foreign value is adopted, and bound and safe point
 * cannot go back. A record that was read is compared with what may have been applied: the last
 * acknowledged write, and those on top of it whose outcome is unknown. Not thread-safe: a part of
 * {@link Primary}.
 */
final class OwnRecord {

  /** The version of a missing record. */
  private static final long ABSENT = -1;

  /** Writes of unknown outcome that are recognised; older ones would count as foreign. */
  private static final int MAX_UNKNOWN = 64;

  /** Origin of the record found by a read. */
  enum Finding {
    /** Written by this primary. */
    OWN,
    /** Written by another primary, which has taken the epoch. */
    LATER_EPOCH,
    /** Not written by a transaction manager, with this epoch or an earlier one. */
    FOREIGN,
    /** Unknown, or foreign and written over a record that may have named a later epoch. */
    UNPROVED
  }

  private final RecordStore store;

  /** The version that the next write expects. */
  private long version;

  /** The last write known to have been applied. */
  private ManagerRecord record;

  /** Writes on top of {@link #version} whose outcome is unknown. */
  private final Deque<ManagerRecord> unknown = new ArrayDeque<>();

  /** True if the outcome of a write, or the record, is unknown: a read must follow. */
  private boolean inDoubt;

  /** The record that was read last, if it is unproved. */
  private Optional<Reading> unproved = Optional.empty();

  /** The unproved record that an administrator has permitted to write over. */
  private Optional<Reading> accepted = Optional.empty();

  /** The highest sequence number of any write, applied or not: no two writes share one. */
  private long sequence;

  /** The highest bound of any write, applied or not. */
  private long bound;

  OwnRecord(RecordStore store, long version, ManagerRecord record) {
    this.store = store;
    this.version = version;
    this.record = record;
    this.sequence = record.leaseSequence();
    this.bound = record.bound();
  }

  /** Returns the last write known to have been applied. */
  ManagerRecord record() {
    return record;
  }

  /**
   * Returns the record to write next.
   *
   * @param wantedBound minimum of the bound, which never goes back, although this primary uses no
   *     bound that was not acknowledged
   * @param safePoint the safe point that this primary has decided
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

  /** Sends a record; {@link #answered} must report the outcome. */
  CompletableFuture<Swap> write(ManagerRecord next) {
    return version == ABSENT ? store.create(next) : store.compareAndSet(version, next);
  }

  /**
   * Reports the answer to a write; returns true if it was applied. Otherwise it seems not to have
   * been: it may have been, or may be later.
   */
  boolean answered(ManagerRecord next, Optional<Swap> answer) {
    if (answer.isPresent() && answer.get() instanceof Swap.Applied applied) {
      written(applied.version(), next);
      return true;
    }
    unknown.addLast(next);
    if (unknown.size() > MAX_UNKNOWN) {
      unknown.removeFirst();
    }
    inDoubt = true;
    return false;
  }

  private void written(long newVersion, ManagerRecord next) {
    version = newVersion;
    record = next;
    unknown.clear();
  }

  /** Returns true if the epoch may have moved, by the record that was read last. */
  boolean isUnproved() {
    return unproved.isPresent();
  }

  /** Returns true if a read must follow before another write. */
  boolean isInDoubt() {
    return inDoubt;
  }

  /**
   * Judges the result of a read, and adopts its version unless the epoch has or may have moved.
   *
   * @param reading empty if the record could not be read
   * @param sole whether no other process can have taken the epoch: the lease is held after the
   *     read, so no backup has waited for its end, and no successor was named
   */
  Finding judge(Optional<Reading> reading, boolean sole) {
    accepted = accepted.filter(found -> reading.isEmpty() || reading.get().equals(found));
    Finding finding = reading.map(found -> compare(found, sole)).orElse(Finding.UNPROVED);
    inDoubt = finding == Finding.UNPROVED || inDoubt && finding == Finding.LATER_EPOCH;
    if (finding != Finding.UNPROVED) {
      unproved = Optional.empty();
    } else if (reading.isPresent()) {
      unproved = reading;
    }
    return finding;
  }

  /**
   * Permits, on behalf of an administrator, to write over the record that was read last and is
   * unproved. Returns its description.
   *
   * @throws IllegalStateException if there is none, or it has another format
   */
  String accept() {
    Reading found =
        unproved.orElseThrow(
            () -> new IllegalStateException("not a backup: a primary writes the record itself"));
    if (found instanceof Reading.OtherFormat) {
      throw new IllegalStateException(
          "not accepted, because the record has another format: start the version that wrote it, or"
              + " delete its znode, then accept once more that it is gone");
    }
    accepted = unproved;
    return TamperAlarm.describe(found);
  }

  private Finding compare(Reading reading, boolean sole) {
    if (reading instanceof Reading.OtherFormat) {
      return Finding.UNPROVED;
    }
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
    }
    long found = versionOf(reading);
    long grown = found - version;
    boolean isThere = version != ABSENT && found != ABSENT;
    // To take the epoch is a write, too. What was found is one.
    boolean proved = isThere && (grown == 0 || grown == 1);
    // All unknown writes expect the same version, so one of them at most was applied.
    boolean explained = !isThere || grown < 2 || grown == 2 && !unknown.isEmpty();
    boolean mayWrite = proved || sole && unproved.isEmpty() && explained;
    if (!mayWrite && !accepted.equals(Optional.of(reading))) {
      return Finding.UNPROVED;
    }
    accepted = Optional.empty();
    version = found;
    unknown.clear();
    return Finding.FOREIGN;
  }

  private static long versionOf(Reading reading) {
    if (reading instanceof Reading.Present present) {
      return present.version();
    }
    return reading instanceof Reading.Unreadable unreadable ? unreadable.version() : ABSENT;
  }
}
