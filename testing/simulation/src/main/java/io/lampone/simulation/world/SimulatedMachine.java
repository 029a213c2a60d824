package io.lampone.simulation.world;

import io.lampone.client.driver.Driver;
import io.lampone.protocol.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A process that can die, restart, and pause without noticing: its clocks continue. A death cancels
 * its scheduled actions.
 */
public class SimulatedMachine {

  private static final long START_MILLIS = 1_800_000_000_000L;
  private static final double NANOS_PER_MILLI = 1e6;

  private final World world;
  private final String name;
  private final BentClock clock;
  private int incarnation;
  private boolean up = true;
  private long pausedUntilNanos;
  private long linkSlowUntilNanos;

  /** Called once at the next restart. */
  private Runnable whenUp = () -> {};

  public SimulatedMachine(World world, String name) {
    this.world = world;
    this.name = name;
    this.clock = new BentClock(world.chance().nextLong() >> 2);
  }

  public final World world() {
    return world;
  }

  public final String name() {
    return name;
  }

  public final BentClock clock() {
    return clock;
  }

  public final int incarnation() {
    return incarnation;
  }

  public final boolean isUp() {
    return up;
  }

  public final long pausedUntilNanos() {
    return pausedUntilNanos;
  }

  public final void after(long delayNanos, Runnable action) {
    world.schedule(this, delayNanos, action);
  }

  public final void after(Duration delay, Runnable action) {
    world.schedule(this, delay, action);
  }

  /** Runs the machines of a client's core; its pauses are in virtual time. */
  public final Driver driver() {
    return new Driver(
        length -> {
          CompletableFuture<Void> over = new CompletableFuture<>();
          after(length, () -> over.complete(null));
          return over;
        },
        clock);
  }

  /** Pauses, and does not notice it. */
  public final void pause(long nanos) {
    say("PAUSE nanos=" + nanos);
    pausedUntilNanos = Math.max(pausedUntilNanos, world.nowNanos() + nanos);
  }

  /** Delays some of its messages to transaction managers for {@code nanos}. */
  public final void slowLink(long nanos) {
    linkSlowUntilNanos = world.nowNanos() + nanos;
  }

  public final boolean isLinkSlow() {
    return world.nowNanos() < linkSlowUntilNanos;
  }

  /** Dies, and loses its memory. */
  public final void die() {
    if (up) {
      say("DIES");
      up = false;
      incarnation++;
      pausedUntilNanos = 0;
    }
  }

  /** Restarts, with nothing in memory. */
  public final void revive() {
    if (!up) {
      say("BOOTS");
      up = true;
      whenUp.run();
      whenUp = () -> {};
    }
  }

  /** Calls {@code action} once, when this, which is dead, runs again. */
  final void whenUp(Runnable action) {
    whenUp = action;
  }

  public final void say(String what) {
    if (world.isTraced()) {
      world.trace(name, what);
    }
  }

  /** Traces a text that is computed only if the run is traced. */
  public final void say(Supplier<String> what) {
    if (world.isTraced()) {
      world.trace(name, what.get());
    }
  }

  /** True time, bent: at another rate, from another beginning, with steps of the wall clock. */
  public final class BentClock implements Clock {

    /** Reading at {@link #sinceNanos} of true time, from when on it runs at its rate. */
    private long shownNanos;

    private long sinceNanos;
    private double wallMillis = START_MILLIS;
    private double rate = 1.0;

    private BentClock(long offsetNanos) {
      this.shownNanos = offsetNanos;
    }

    /** Continues from the current reading, at another rate. */
    public void runAt(double newRate) {
      shownNanos = monotonicNanos();
      wallMillis += elapsedNanos() / NANOS_PER_MILLI;
      sinceNanos = world.nowNanos();
      rate = newRate;
    }

    private double elapsedNanos() {
      return (world.nowNanos() - sinceNanos) * rate;
    }

    void stepWall(Duration step) {
      say("WALL CLOCK STEPS millis=" + step.toMillis());
      wallMillis += step.toMillis();
    }

    @Override
    public long wallMillis() {
      return (long) (wallMillis + elapsedNanos() / NANOS_PER_MILLI);
    }

    @Override
    public long monotonicNanos() {
      return shownNanos + (long) elapsedNanos();
    }
  }
}
