package io.lampone.tm.core;

import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.tm.core.RecordStore.Reading;
import java.util.Optional;

/**
 * History of the record as seen by a backup, to decide whether it may take the epoch from it
 * (protocol page, section 7). A record that contradicts itself, or that went back, was not written
 * by the primary: nothing is taken over from it. If the primary overwrites it and renews that once
 * more, the primary is trusted again. Not thread-safe: a part of {@link Backup}.
 */
final class RecordHistory {

  /** The newest record that is believed. */
  private Optional<ManagerRecord> believed = Optional.empty();

  /** A record that went back behind {@link #believed}; believed in its turn once it is renewed. */
  private Optional<ManagerRecord> doubted = Optional.empty();

  /** The highest bound of a record that was believed: no timestamp below it is issued again. */
  private long highestBound;

  /** Why the record that was read last is not believed; empty if it is. */
  private Optional<String> complaint = Optional.empty();

  /** The record was read: it may have changed, or not. */
  void read(Reading reading) {
    if (reading instanceof Reading.Present present) {
      judge(present.record());
    } else if (reading instanceof Reading.Unreadable) {
      complaint = Optional.of("it cannot be read");
    } else {
      complaint = believed.map(before -> "it has disappeared");
    }
  }

  /** Why the epoch must not be taken from the record that was read last; empty if it may. */
  Optional<String> complaint() {
    return complaint;
  }

  /** An administrator believes the record as it was read last. */
  void accept(Reading reading) {
    if (reading instanceof Reading.Present present) {
      believe(present.record());
    }
    complaint = Optional.empty();
  }

  /**
   * Returns the record that the next epoch follows, with the highest bound ever trusted; empty if
   * no transaction manager has ever run here.
   */
  Optional<ManagerRecord> last() {
    return believed.map(record -> record.withBound(highestBound));
  }

  private void judge(ManagerRecord record) {
    Optional<String> contradiction = record.contradiction();
    if (contradiction.isPresent()) {
      complaint = contradiction;
      return;
    }
    Optional<String> back = believed.flatMap(before -> wentBack(before, record));
    if (back.isEmpty() || isRenewedDoubt(record)) {
      believe(record);
      return;
    }
    complaint = back;
    if (doubted.isEmpty() || !doubted.get().equals(record)) {
      doubted = Optional.of(record);
    }
  }

  private void believe(ManagerRecord record) {
    believed = Optional.of(record);
    highestBound = Math.max(highestBound, record.bound());
    doubted = Optional.empty();
    complaint = Optional.empty();
  }

  /** Returns true if the primary of the trusted record keeps renewing the doubted one. */
  private boolean isRenewedDoubt(ManagerRecord record) {
    return doubted
        .filter(before -> !before.equals(record))
        .filter(before -> wentBack(before, record).isEmpty())
        .filter(before -> isSamePrimary(believed.orElseThrow(), record))
        .isPresent();
  }

  private static boolean isSamePrimary(ManagerRecord before, ManagerRecord record) {
    return before.epoch() == record.epoch() && before.holder().equals(record.holder());
  }

  private static Optional<String> wentBack(ManagerRecord before, ManagerRecord now) {
    if (now.epoch() < before.epoch()) {
      return back("epoch", before.epoch(), now.epoch());
    }
    if (now.epoch() == before.epoch() && !now.holder().equals(before.holder())) {
      return Optional.of("its holder is another in the same epoch, epoch=" + now.epoch());
    }
    if (now.leaseSequence() < before.leaseSequence()) {
      return back("leaseSequence", before.leaseSequence(), now.leaseSequence());
    }
    if (now.leaseSequence() == before.leaseSequence() && !now.equals(before)) {
      return Optional.of(
          "it differs from another one with its sequence, leaseSequence=" + now.leaseSequence());
    }
    if (now.bound() < before.bound()) {
      return back("bound", before.bound(), now.bound());
    }
    if (now.floor() < before.floor()) {
      return back("floor", before.floor(), now.floor());
    }
    if (now.safePoint() < before.safePoint()) {
      return back("safePoint", before.safePoint(), now.safePoint());
    }
    return Optional.empty();
  }

  private static Optional<String> back(String what, long before, long now) {
    return Optional.of(what + " went back, before=" + before + " now=" + now);
  }
}
