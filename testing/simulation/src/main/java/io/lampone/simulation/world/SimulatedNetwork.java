package io.lampone.simulation.world;

import java.time.Duration;

/** Messages between machines: they take time, and may get lost, delayed or reordered. */
public final class SimulatedNetwork {

  private static final Duration USUAL = Duration.ofNanos(400_000);
  private static final Duration SLOW = Duration.ofMillis(25);
  private static final Duration STUCK = Duration.ofMillis(900);
  private static final Duration LATE_WATCH = Duration.ofMillis(500);
  private static final int MISLED_ONE_IN = 2;
  private static final int HOME_ONE_IN = 4;
  private static final int DISORDER_ONE_IN = 5;
  private static final Duration DISORDER = Duration.ofMillis(70);
  private static final int HELD_UP_ONE_IN = 4;
  private static final int VOTE_HELD_ONE_IN = 4;
  private static final int ANSWER_LOST_ONE_IN = 12;

  private final World world;
  private final Plan plan;
  private boolean calm;

  public SimulatedNetwork(World world, Plan plan) {
    this.world = world;
    this.plan = plan;
  }

  /** Ends losses and delays. */
  public void calm() {
    calm = true;
  }

  public boolean isCalm() {
    return calm;
  }

  /** Brings a message to {@code to} as it is now: if that dies meanwhile, the message is lost. */
  public void send(SimulatedMachine to, Runnable delivery) {
    if (!to.isUp() || isLost()) {
      return;
    }
    to.after(delayNanos(), delivery);
  }

  /** The same, so much later. */
  public void sendLate(SimulatedMachine to, long lateNanos, Runnable delivery) {
    if (to.isUp() && !isLost()) {
      to.after(lateNanos + delayNanos(), delivery);
    }
  }

  /** Returns true if a first attempt of the fast path outlasts its sender's timeout on its way. */
  public boolean isHeldUp() {
    return !calm && plan.focus() == Focus.LATE_ATTEMPTS && world.chance().oneIn(HELD_UP_ONE_IN);
  }

  /** By how much a request to a region may fall behind those that were sent with it. */
  public long disorderNanos() {
    boolean behind = !calm && plan.focus().hasRivals() && world.chance().oneIn(DISORDER_ONE_IN);
    return behind ? world.chance().nanosUpTo(DISORDER) : 0;
  }

  /** Returns true if a query about a transaction goes to a rival of the primary. */
  public boolean strays() {
    return !calm && plan.focus().hasRivals() && !world.chance().oneIn(HOME_ONE_IN);
  }

  /** Returns true if a vote is delayed while buckets move. */
  public boolean isVoteHeld() {
    return !calm && plan.focus() == Focus.STRADDLERS && world.chance().oneIn(VOTE_HELD_ONE_IN);
  }

  public boolean isLost() {
    return !calm && world.chance().oneIn(plan.oneLostIn());
  }

  /** Returns true if an answer of a transaction manager is lost, and its connection with it. */
  public boolean isAnswerLost() {
    return isLost()
        || !calm && plan.focus() == Focus.OBLIVION && world.chance().oneIn(ANSWER_LOST_ONE_IN);
  }

  /** Returns true if a transaction manager refuses a frame because it has too much to do. */
  public boolean isOverloaded() {
    return !calm && world.chance().oneIn(plan.oneStuckIn());
  }

  /** Returns true if a request is delivered a second time, later. */
  public boolean isDoubled() {
    return !calm && world.chance().oneIn(plan.oneDoubledIn());
  }

  /**
   * Returns true if a search for the primary turns to an address that the record does not name:
   * configured addresses are tried in turn.
   */
  public boolean misleads() {
    return !calm && !plan.honestClocks() && world.chance().oneIn(MISLED_ONE_IN);
  }

  /** Returns the delay until a watcher is notified of a change. */
  long watchNanos() {
    boolean late = !calm && !plan.honestClocks() && world.chance().oneIn(2);
    return delayNanos() + (late ? world.chance().nanosUpTo(LATE_WATCH) : 0);
  }

  public long delayNanos() {
    Chance chance = world.chance();
    long delay = 1 + chance.nanosUpTo(USUAL);
    if (!calm && chance.oneIn(plan.oneSlowIn())) {
      delay += chance.nanosUpTo(SLOW);
    }
    if (!calm && chance.oneIn(plan.oneStuckIn())) {
      delay += chance.nanosUpTo(STUCK);
    }
    return delay;
  }
}
