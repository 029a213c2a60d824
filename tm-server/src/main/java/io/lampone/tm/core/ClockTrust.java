package io.lampone.tm.core;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.tm.core.ClockJudgment.Finding;
import io.lampone.tm.core.oracle.WallReading;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decides by the clocks of others whether this node's time can be trusted: its wall clock, and the
 * time of timestamps, which does not follow a wall clock that steps. While either is ahead, or none
 * has been compared, the node takes no epoch. A clock that is behind is harmless: timestamps
 * continue from the bound in the record. The record is believed if ZooKeeper's clock has reached
 * the bound, even if the clocks of all members are behind it. Not thread-safe: part of {@link
 * ManagerNode}.
 */
public final class ClockTrust {

  /** Consecutive comparisons that must find a primary's clock ahead before it hands over. */
  static final int FINDINGS_FOR_RELIEF = 2;

  private final SteadyClock clock;

  /** Tolerated lead of a clock; zero if nothing is compared. */
  private Duration limit = Duration.ZERO;

  /** Judgment of the wall clock. */
  private ClockJudgment wall = ClockJudgment.UNKNOWN;

  /** Judgment of the time of timestamps. */
  private ClockJudgment shown = ClockJudgment.UNKNOWN;

  /** Lead of the time of timestamps over ZooKeeper's clock. */
  private long shownAheadOfStoreMillis;

  private int findings;

  ClockTrust(SteadyClock clock) {
    this.clock = clock;
  }

  /**
   * Requires that the clock is compared and found right before an epoch is taken.
   *
   * @param newLimit tolerated lead over the other clocks; zero to compare nothing
   */
  public void demand(Duration newLimit) {
    limit = newLimit;
  }

  /**
   * Records a comparison of the wall clock. It judges the clock as it is now: steps since the
   * reading are added.
   *
   * @param reading the wall clock that was compared
   * @param readAheadOfStoreMillis its lead over ZooKeeper's clock
   * @param readAheadOfMembersMillis its lead over the clock of each other member
   * @param mayRestart true if no timestamp has been issued: then the time of timestamps restarts
   *     from a wall clock that is right
   */
  void compared(
      WallReading reading,
      long readAheadOfStoreMillis,
      List<Long> readAheadOfMembersMillis,
      boolean mayRestart) {
    if (limit.isZero()) {
      return;
    }
    clock.tick();
    long steppedMillis = clock.steppedMillis(reading);
    long aheadOfStoreMillis = readAheadOfStoreMillis + steppedMillis;
    List<Long> aheadMillis = new ArrayList<>();
    readAheadOfMembersMillis.forEach(ahead -> aheadMillis.add(ahead + steppedMillis));
    aheadMillis.add(aheadOfStoreMillis);
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

  /**
   * Returns false if the wall clock may be ahead of the others': not compared yet, found ahead, or
   * stepped since.
   */
  public boolean isRight() {
    clock.tick();
    return complaint().isEmpty() && clock.aheadMillis() <= SteadyClock.FOLLOWED.toMillis();
  }

  /** Returns the reason why no epoch is taken with this clock; empty if there is none. */
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

  /**
   * Returns the reason why the record is not believed; empty if it is, or no clock was compared.
   *
   * @param acceptedBound the bound that an administrator has accepted
   */
  Optional<String> complaint(ManagerRecord record, long acceptedBound) {
    if (limit.isZero() || shown.finding() == Finding.UNKNOWN) {
      return Optional.empty();
    }
    // ZooKeeper's clock suffices: all members' clocks may have been set back since the bound.
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

  /** Returns the lead of the wall clock over the time of timestamps, in ms. Any thread. */
  public long steppedMillis() {
    return clock.aheadMillis();
  }

  /** Returns true if a primary should hand over because of its clock. */
  public boolean wantsRelief() {
    return findings >= FINDINGS_FOR_RELIEF;
  }

  /** Returns the judgment of the wall clock. */
  public ClockJudgment wall() {
    return wall;
  }
}
