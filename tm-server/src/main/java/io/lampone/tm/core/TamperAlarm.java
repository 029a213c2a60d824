package io.lampone.tm.core;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.RareLine;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.tm.core.RecordStore.Reading;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Alarm for foreign changes of the record: reports each; raised after three within a minute, and
 * while the record is left as it is.
 */
final class TamperAlarm {

  private static final Logger LOG = LoggerFactory.getLogger(TamperAlarm.class);

  private static final int CHANGES = 3;
  private static final Duration WINDOW = Duration.ofMinutes(1);

  private final Clock clock;
  private final NodeListener listener;
  private final RareLine line;

  /** Times of the last changes found; at most {@link #CHANGES}. */
  private final Deque<Long> foundNanos = new ArrayDeque<>();

  /** The record that was reported last. */
  private Optional<Reading> last = Optional.empty();

  /** True if it is left as it is. */
  private boolean isLeft;

  TamperAlarm(Clock clock, NodeListener listener) {
    this.clock = clock;
    this.listener = listener;
    this.line = new RareLine(clock);
  }

  /** Reports a foreign change that is overwritten, once if that takes several attempts. */
  void overwrites(ManagerRecord own, Reading found) {
    boolean known = last.equals(Optional.of(found));
    last = Optional.of(found);
    isLeft = false;
    if (!known) {
      changed(own, found, "it is written again");
    }
  }

  /** Reports a record that is left as it is, because it may hide a later epoch. */
  void leaves(ManagerRecord own, Reading found) {
    if (isLeft && last.equals(Optional.of(found))) {
      return;
    }
    last = Optional.of(found);
    isLeft = true;
    changed(
        own,
        found,
        found instanceof Reading.OtherFormat
            ? "it stays, and this primary is silent: start the version that wrote it"
            : "it stays, and this primary is silent, because another may have taken the epoch"
                + " before; if none leads, run 'lampone tm accept-record "
                + own.address()
                + "'");
  }

  private void changed(ManagerRecord own, Reading found, String consequence) {
    if (foundNanos.size() == CHANGES) {
      foundNanos.removeFirst();
    }
    foundNanos.addLast(clock.monotonicNanos());
    listener.recordTampered();
    line.happened()
        .ifPresent(
            times ->
                LOG.error(
                    "the record in ZooKeeper was changed by a foreign hand: nothing is taken over,"
                        + " {}; look at its ACL with 'lampone check', times={}"
                        + " epoch={} found=[{}]",
                    consequence,
                    times,
                    own.epoch(),
                    describe(found)));
  }

  boolean isRaised() {
    return isLeft
        || foundNanos.size() == CHANGES
            && clock.monotonicNanos() - foundNanos.getFirst() < WINDOW.toNanos();
  }

  /** Describes a record by numbers only: foreign text does not belong in the log. */
  static String describe(Reading reading) {
    if (reading instanceof Reading.Present present) {
      ManagerRecord record = present.record();
      return "epoch="
          + record.epoch()
          + " leaseSequence="
          + record.leaseSequence()
          + " released="
          + record.released()
          + " bound="
          + record.bound()
          + " floor="
          + record.floor()
          + " safePoint="
          + record.safePoint();
    }
    if (reading instanceof Reading.OtherFormat) {
      return "of another format";
    }
    return reading instanceof Reading.Absent ? "absent" : "unreadable";
  }
}
