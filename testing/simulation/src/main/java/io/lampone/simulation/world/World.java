package io.lampone.simulation.world;

import java.time.Duration;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * True time, and everything that is still to happen in it. One event after the other, in the order
 * of their times and, at one time, of their making: so one seed is one run.
 */
public final class World {

  /** An event at a machine; a machine that has died since does not see it. */
  private record Event(
      long timeNanos, long number, SimulatedMachine machine, int incarnation, Runnable action)
      implements Comparable<Event> {

    @Override
    public int compareTo(Event other) {
      int times = Long.compare(timeNanos, other.timeNanos);
      return times != 0 ? times : Long.compare(number, other.number);
    }
  }

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final Chance chance;
  private final Trace trace;

  /** True if a run ends with the first violation. */
  private final boolean heeding;

  private long nowNanos;
  private long made;
  private long happened;

  /** The first thing that was not as it must be. */
  private Optional<Violation> violation = Optional.empty();

  public World(Chance chance, Trace trace) {
    this(chance, trace, true);
  }

  /**
   * A world.
   *
   * @param heeding false = what is not as it must be is told all the same, but everything goes on,
   *     so that others may find it too
   */
  public World(Chance chance, Trace trace, boolean heeding) {
    this.chance = chance;
    this.trace = trace;
    this.heeding = heeding;
  }

  public Chance chance() {
    return chance;
  }

  public long nowNanos() {
    return nowNanos;
  }

  public long happened() {
    return happened;
  }

  void schedule(SimulatedMachine machine, long delayNanos, Runnable action) {
    events.add(
        new Event(
            nowNanos + Math.max(0, delayNanos), made++, machine, machine.incarnation(), action));
  }

  void schedule(SimulatedMachine machine, Duration delay, Runnable action) {
    schedule(machine, delay.toNanos(), action);
  }

  /** Lets the next event happen; false if there is none, or something is wrong already. */
  public boolean step() {
    Event event = events.poll();
    if (event == null || !goesOn()) {
      return false;
    }
    nowNanos = Math.max(nowNanos, event.timeNanos());
    SimulatedMachine machine = event.machine();
    if (machine.incarnation() != event.incarnation()) {
      return true;
    }
    if (machine.pausedUntilNanos() > nowNanos) {
      // Keeps its number, so that a machine that wakes up finds everything in its order.
      events.add(
          new Event(
              machine.pausedUntilNanos(),
              event.number(),
              machine,
              event.incarnation(),
              event.action()));
      return true;
    }
    happened++;
    event.action().run();
    return true;
  }

  /** Returns true if the run may continue. */
  public boolean goesOn() {
    return violation.isEmpty() || !heeding;
  }

  /** Something is not as it must be: the run ends with this event, if it heeds such things. */
  public void violated(String invariant, String text) {
    if (violation.isEmpty()) {
      trace.line(nowNanos, "world", "VIOLATED " + invariant + ": " + text);
      violation = Optional.of(new Violation(invariant, text, nowNanos));
    }
  }

  public Optional<Violation> violation() {
    return violation;
  }

  public boolean isTraced() {
    return trace.isKept();
  }

  public void trace(String who, String what) {
    trace.line(nowNanos, who, what);
  }
}
