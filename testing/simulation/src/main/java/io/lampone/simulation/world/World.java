package io.lampone.simulation.world;

import java.time.Duration;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * True time, and all events scheduled in it. Events run in the order of their times and, at the
 * same time, of their creation: so one seed is one run.
 */
public final class World {

  /** An event at a machine; skipped if the machine has died since. */
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

  /** The first violation. */
  private Optional<Violation> violation = Optional.empty();

  public World(Chance chance, Trace trace) {
    this(chance, trace, true);
  }

  /**
   * A world.
   *
   * @param heeding false = violations are recorded, but do not stop the run, so that other checks
   *     may find the bug too
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

  /** Runs the next event; returns false if there is none, or an invariant is violated already. */
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
      // Keeps its number, so that a machine that resumes runs its events in order.
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

  /** Records a violation; the run ends with this event, if violations stop it. */
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
