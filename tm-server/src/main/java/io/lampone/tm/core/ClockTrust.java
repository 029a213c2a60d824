package io.lampone.tm.core;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.tm.core.ClockJudgment.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Trust in the time of this node, by the clocks of others: in its wall clock, and in the time of
 * timestamps, which does not follow a wall clock that steps. While either is ahead, or nothing has
 * been compared, the node takes no epoch. One that is behind does no harm: timestamps continue from
 * the bound, which ZooKeeper's clock vouches for if all members' are behind. Not thread-safe: a
 * part of {@link ManagerNode}.
 */
public final class ClockTrust {

  /** Comparisons in a row that find a primary's clock ahead before it is to be relieved. */
  static final int FINDINGS_FOR_RELIEF = 2;

  private final SteadyClock clock;

  /** Tolerated lead of a clock; zero if nothing is compared. */
  private Duration limit = Duration.ZERO;

  /** Of the wall clock. */
  private ClockJudgment wall = ClockJudgment.UNKNOWN;

  /** Of the time of timestamps. */
  private ClockJudgment shown = ClockJudgment.UNKNOWN;

  /** How far the time of timestamps is ahead of ZooKeeper's clock. */
  private long shownAheadOfStoreMillis;

  private int findings;

  ClockTrust(SteadyClock clock) {
    this.clock = clock;
  }

  /**
   * From now on no epoch is taken before the clock has been compared and found right.
   *
   * @param newLimit how far ahead of the others' it may be; zero if nothing is to be compared
   */
  public void demand(Duration newLimit) {
    limit = newLimit;
  }

  /**
   * The wall clock has been compared.
   *
   * @param aheadOfStoreMillis how far it is ahead of ZooKeeper's
   * @param aheadOfMembersMillis how far it is ahead of each of the other members'
   * @param mayRestart whether no timestamp has been issued: then the time of timestamps begins anew
   *     with a wall clock that is right
   */
  void compared(long aheadOfStoreMillis, List<Long> aheadOfMembersMillis, boolean mayRestart) {
    if (limit.isZero()) {
      return;
    }
    List<Long> aheadMillis = new ArrayList<>(aheadOfMembersMillis);
    aheadMillis.add(aheadOfStoreMillis);
    clock.tick();
    wall = ClockJudgment.of(aheadMillis, limit.toMillis());
    shown = ofShown(aheadMillis);
    if (mayRestart && wall.finding() == Finding.RIGHT && shown.finding() != Finding.RIGHT) {
      clock.restart();
      shown = wall;
    }
    shownAheadOfStoreMillis = aheadOfStoreMillis - clock.aheadMillis();
    findings = isAhead() ? findings + 1 : 0;
  }

  private ClockJudgment ofShown(List<Long> aheadMillis) {
    long stepped = clock.aheadMillis();
    return ClockJudgment.of(
        aheadMillis.stream().map(ahead -> ahead - stepped).toList(), limit.toMillis());
  }

  /** Why no epoch is taken with this clock; empty if it may be. */
  Optional<String> complaint() {
    if (limit.isZero()) {
      return Optional.empty();
    }
    if (wall.finding() == Finding.UNKNOWN) {
      return Optional.of("the clock has not been compared with ZooKeeper's yet");
    }
    return isAhead()
        ? Optional.of(
            "the clock is ahead of the others', aheadMillis="
                + wall.aheadMillis()
                + " timestampsAheadMillis="
                + shown.aheadMillis()
                + " witnesses="
                + wall.witnesses()
                + " limitMillis="
                + limit.toMillis())
        : Optional.empty();
  }

  /** Why the record is from the future; empty if it is not, or nothing has been compared. */
  Optional<String> complaint(ManagerRecord record, long acceptedBound) {
    if (limit.isZero() || shown.finding() == Finding.UNKNOWN) {
      return Optional.empty();
    }
    // ZooKeeper's clock is enough: the bound may be from before all members' clocks were set back.
    long aheadMillis = Math.min(shown.aheadMillis(), shownAheadOfStoreMillis);
    long now = Timestamps.ceilingOfMillis(Math.max(0, clock.wallMillis() - aheadMillis));
    long latest = Math.max(now, acceptedBound);
    return record.bound() - latest > ManagerRecord.LONGEST_AHEAD.toNanos()
        ? Optional.of(
            "its bound is too far ahead of the other clocks, bound="
                + record.bound()
                + " now="
                + now)
        : Optional.empty();
  }

  private boolean isAhead() {
    return wall.finding() == Finding.AHEAD || shown.finding() == Finding.AHEAD;
  }

  /** Returns how far the wall clock is ahead of the time of timestamps. Any thread. */
  public long steppedMillis() {
    return clock.aheadMillis();
  }

  /** Returns true if a primary should hand over because of its clock. */
  public boolean wantsRelief() {
    return findings >= FINDINGS_FOR_RELIEF;
  }

  /** Returns the verdict on the wall clock. */
  public ClockJudgment wall() {
    return wall;
  }
}
