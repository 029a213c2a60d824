package io.lampone.tm.core;

import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.tm.core.RecordStore.Reading;
import java.util.Optional;

/**
 * The record's history as seen by a backup, from which it decides whether it may take the epoch
 * (protocol page, section 7). A record that contradicts itself or went back was not written by the
 * primary; nothing is adopted from it. It is trusted again once the primary has overwritten it and
 * renewed that. Not thread-safe: a part of {@link Backup}.
 */
final class RecordHistory {

  /** The newest trusted record. */
  private Optional<ManagerRecord> believed = Optional.empty();

  /** A record that went back behind {@link #believed}; trusted once it is renewed. */
  private Optional<ManagerRecord> doubted = Optional.empty();

  /** The highest bound of any trusted record: no timestamp below it is issued again. */
  private long highestBound;

  /** Reason for distrusting the record last read; empty if it is trusted. */
  private Optional<String> complaint = Optional.empty();

  /** Processes the result of a read, changed or not. */
  void read(Reading reading) {
    if (reading instanceof Reading.Present present) {
      judge(present.record());
    } else if (reading instanceof Reading.Unreadable) {
      complaint = Optional.of("it cannot be read");
    } else if (reading instanceof Reading.OtherFormat) {
      complaint =
          Optional.of(
              "it has another format: start the version that wrote it, or stop all transaction"
                  + " managers and delete its znode");
    } else {
      complaint = believed.map(before -> "it has disappeared");
    }
  }

  /** Returns why the epoch must not be taken from the record last read; empty if it may. */
  Optional<String> complaint() {
    return complaint;
  }

  /** Trusts the record as last read, on behalf of an administrator. */
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
