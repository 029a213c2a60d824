package io.lampone.faultlab.fault;

import io.lampone.faultlab.fault.FaultKind.Track;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.TableName;

/**
 * Carries out a schedule, and heals its faults. One thread for each track. A fault that could not
 * be injected is retried when the turn is at a kind that was done already.
 */
public final class Nemesis implements AutoCloseable {

  /** Begins the names of the tables that the hostile client makes, and drops when it can. */
  public static final String HOSTILE_TABLES = "forged-";

  private static final long END_SECONDS = 60;

  /** Between two tables that are flushed and compacted. */
  private static final long COLLECT_MILLIS = 1_500;

  private final Supervisor supervisor;
  private final Clock clock;
  private final Consumer<String> progress;
  private final ConcurrentLinkedQueue<InjectedFault> done = new ConcurrentLinkedQueue<>();
  private final CountDownLatch stop = new CountDownLatch(1);
  private final List<Thread> threads = new ArrayList<>();
  private final long createdNanos;

  /**
   * Ready to begin.
   *
   * @param tables whose regions are moved and changed
   */
  public Nemesis(
      Supervisor supervisor, List<TableName> tables, Clock clock, Consumer<String> progress) {
    this.supervisor = supervisor;
    this.clock = clock;
    this.progress = progress;
    this.createdNanos = clock.monotonicNanos();
    supervisor.works().use(tables);
  }

  /** Begins; the times of the schedule count from now. */
  public void start(List<PlannedFault> schedule) {
    long start = clock.monotonicNanos();
    supervisor.works().alone(schedule.stream().map(PlannedFault::kind).distinct().count() == 1);
    for (Track track : Track.values()) {
      List<PlannedFault> mine =
          schedule.stream().filter(planned -> planned.kind().track() == track).toList();
      Thread thread = new Thread(() -> run(mine, start), "faults-" + track);
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
  }

  /**
   * Flushes and compacts tables from now on, one after the other, so that data is collected. It is
   * no fault, and not counted.
   */
  public void collect() {
    Thread thread = new Thread(this::collectAll, "collector");
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
  }

  private void collectAll() {
    try {
      for (int next = 0; !stop.await(COLLECT_MILLIS, TimeUnit.MILLISECONDS); next++) {
        try {
          supervisor.works().collect(next);
        } catch (IOException ignored) {
          // A fault is in the way; the next table has its turn.
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the faults so far. */
  public List<InjectedFault> injected() {
    return List.copyOf(done);
  }

  /** Returns the number of faults that were done as planned so far. */
  public int doneSoFar() {
    return (int) done.stream().filter(InjectedFault::isDone).count();
  }

  private boolean isDone(FaultKind kind) {
    return done.stream().anyMatch(fault -> fault.kind() == kind && fault.isDone());
  }

  /** Returns the observed primaries, each with the time it was first seen. */
  public List<Takeover> takeovers() {
    return supervisor.takeoversSince(createdNanos);
  }

  /** Stops, and heals everything: all processes run, and all directions are open. */
  public void healAll() throws IOException, InterruptedException {
    close();
    awaitThreads();
    supervisor.healAll();
    // What they report must not come too late.
    awaitThreads();
    long now = clock.monotonicNanos();
    for (String breach : supervisor.works().awaitHostile()) {
      done.add(new InjectedFault(FaultKind.HOSTILE, "", now, now, breach));
    }
  }

  private void awaitThreads() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join(TimeUnit.SECONDS.toMillis(END_SECONDS));
    }
  }

  @Override
  public void close() {
    stop.countDown();
  }

  private void run(List<PlannedFault> mine, long start) {
    try {
      List<PlannedFault> missed = new ArrayList<>();
      for (PlannedFault planned : mine) {
        long at = start + TimeUnit.MILLISECONDS.toNanos(planned.atMillis());
        if (stop.await(at - clock.monotonicNanos(), TimeUnit.NANOSECONDS)) {
          return;
        }
        missed.removeIf(each -> isDone(each.kind()));
        PlannedFault next =
            isDone(planned.kind()) && !missed.isEmpty() ? missed.remove(0) : planned;
        carryOut(next);
        missed.add(next);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void carryOut(PlannedFault planned) throws InterruptedException {
    String problem = "";
    long injected = clock.monotonicNanos();
    Fault fault;
    try {
      fault = supervisor.works().make(planned);
    } catch (RuntimeException e) { // as below
      progress.accept("fault    " + planned.kind() + " not done: " + e);
      done.add(new InjectedFault(planned.kind(), "", injected, injected, e.toString()));
      return;
    }
    fault.holds().forEach(supervisor::hold);
    try {
      fault.inject();
      progress.accept("fault    " + planned.kind() + " " + fault.target());
      long began = clock.monotonicNanos();
      // Heals at the end of the run, too.
      if (stop.await(planned.millis(), TimeUnit.MILLISECONDS)) {
        long lasted = TimeUnit.NANOSECONDS.toMillis(clock.monotonicNanos() - began);
        problem = planned.kind().shortfall(lasted);
        progress.accept("the end comes before the fault is over; " + problem);
      }
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) { // whatever a fault throws: the next one is tried all the same
      problem = String.valueOf(e.getMessage()).lines().findFirst().orElse(e.toString());
      progress.accept("fault    " + planned.kind() + " not done: " + problem);
    }
    fault.holds().forEach(supervisor::release);
    try {
      fault.heal();
      if (planned.millis() > 0) {
        progress.accept("healed   " + planned.kind() + " " + fault.target());
      }
    } catch (InterruptedException e) {
      throw e;
    } catch (FaultNotAppliedException e) {
      problem = String.valueOf(e.getMessage());
      progress.accept("fault    " + planned.kind() + " in vain: " + problem);
    } catch (Exception e) { // the end heals again
      problem = "not healed: " + e.getMessage();
      progress.accept("fault    " + planned.kind() + " " + problem);
    }
    fault.holds().forEach(supervisor::healed);
    done.add(
        new InjectedFault(
            planned.kind(), fault.target(), injected, clock.monotonicNanos(), problem));
  }
}
