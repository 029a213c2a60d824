package io.lampone.simulation.world;

/** Disk of a region server, which may be slow, or lose the acknowledgements of its log. */
public final class Disk {

  private final SimulatedMachine server;
  private final Runnable crash;
  private long slowUntilNanos;
  private boolean isFailing;

  public Disk(SimulatedMachine server, Runnable crash) {
    this.server = server;
    this.crash = crash;
  }

  /** Slows every write down for {@code nanos}. */
  public void slow(long nanos) {
    server.say("SLOW DISK nanos=" + nanos);
    slowUntilNanos = server.world().nowNanos() + nanos;
  }

  /** Fails every write after the log has it; the server crashes after {@code nanos}. */
  public void fail(long nanos) {
    server.say("LOG FAILS nanos=" + nanos);
    isFailing = true;
    server.after(nanos, crash);
  }

  /** Ends {@link #fail}. */
  public void replace() {
    isFailing = false;
  }

  public boolean isSlow() {
    return server.world().nowNanos() < slowUntilNanos;
  }

  public boolean isFailing() {
    return isFailing;
  }
}
