package io.lampone.torture.fault;

import io.lampone.protocol.time.Clock;
import io.lampone.torture.fault.FaultKind.Track;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.TableName;

/** Carries a schedule out, and heals what it has done. One thread for each track. */
public final class Nemesis implements AutoCloseable {

  private static final long END_SECONDS = 60;
  private static final long SUPERVISION_MILLIS = 1_000;

  private final FaultWorks works;
  private final Machines machines;
  private final Optional<Network> network;
  private final Clock clock;
  private final Consumer<String> progress;
  private final ConcurrentLinkedQueue<InjectedFault> done = new ConcurrentLinkedQueue<>();

  private final ConcurrentLinkedQueue<Takeover> takeovers = new ConcurrentLinkedQueue<>();

  /** Who has been seen to lead last; of the supervisor alone. */
  private String lastPrimary = "";

  /** Members that a fault keeps down. */
  private final Set<String> held = ConcurrentHashMap.newKeySet();

  private final CountDownLatch stop = new CountDownLatch(1);

  /** Who ends by himself is started again until then, also when all is healed. */
  private final CountDownLatch closed = new CountDownLatch(1);

  private final List<Thread> threads = new ArrayList<>();

  private Nemesis(
      FaultWorks works,
      Machines machines,
      Optional<Network> network,
      Clock clock,
      Consumer<String> progress) {
    this.works = works;
    this.machines = machines;
    this.network = network;
    this.clock = clock;
    this.progress = progress;
  }

  /** What it works on; without a network of its own for each host, and clocks, not all faults. */
  public record Victims(
      Machines machines,
      Optional<Network> network,
      Optional<WallClocks> clocks,
      Clients clients,
      String quorum) {}

  /** Ready to begin. */
  public static Nemesis create(
      Victims victims, Path site, List<TableName> tables, Clock clock, Consumer<String> progress)
      throws IOException {
    FaultWorks works =
        new FaultWorks(
            victims.machines(),
            victims.network(),
            new Regions(site, tables),
            new Primary(victims.quorum()),
            victims.clients(),
            victims.clocks());
    return new Nemesis(works, victims.machines(), victims.network(), clock, progress);
  }

  /** Begins; the times of the schedule count from now. */
  public void start(List<PlannedFault> schedule) {
    long start = clock.monotonicNanos();
    for (Track track : Track.values()) {
      List<PlannedFault> mine =
          schedule.stream().filter(planned -> planned.kind().track() == track).toList();
      Thread thread = new Thread(() -> run(mine, start), "faults-" + track);
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
    Thread supervisor = new Thread(this::supervise, "supervisor");
    supervisor.setDaemon(true);
    supervisor.start();
  }

  /** What has happened so far. */
  public List<InjectedFault> injected() {
    return List.copyOf(done);
  }

  /** How many have been done as planned so far. */
  public int doneSoFar() {
    return (int) done.stream().filter(InjectedFault::isDone).count();
  }

  /** Who has been seen to lead, and since when. */
  public List<Takeover> takeovers() {
    return List.copyOf(takeovers);
  }

  /** Stops, and puts everything right: every process runs, everything gets through. */
  public void healAll() throws IOException, InterruptedException {
    stop.countDown();
    for (Thread thread : threads) {
      thread.join(TimeUnit.SECONDS.toMillis(END_SECONDS));
    }
    if (network.isPresent()) {
      network.get().heal();
    }
    machines.ensureAllRunning();
  }

  @Override
  public void close() throws IOException {
    stop.countDown();
    closed.countDown();
    works.close();
  }

  private void supervise() {
    try {
      while (!closed.await(SUPERVISION_MILLIS, TimeUnit.MILLISECONDS)) {
        look();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** One who cannot be started now is tried again a little later. */
  private void look() throws InterruptedException {
    try {
      machines.restartDead(held);
      notePrimary();
    } catch (RuntimeException e) {
      progress.accept("the supervisor has failed, and goes on: " + e);
    }
  }

  private void notePrimary() throws InterruptedException {
    Optional<String> name = works.primary();
    if (name.isPresent() && !name.get().equals(lastPrimary)) {
      lastPrimary = name.get();
      takeovers.add(new Takeover(lastPrimary, clock.monotonicNanos()));
    }
  }

  private void run(List<PlannedFault> mine, long start) {
    try {
      for (PlannedFault planned : mine) {
        long at = start + TimeUnit.MILLISECONDS.toNanos(planned.atMillis());
        if (stop.await(at - clock.monotonicNanos(), TimeUnit.NANOSECONDS)) {
          return;
        }
        carryOut(planned);
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
      fault = works.make(planned);
    } catch (RuntimeException e) { // as below
      progress.accept("fault    " + planned.kind() + " not done: " + e);
      done.add(new InjectedFault(planned.kind(), "", injected, injected, e.toString()));
      return;
    }
    held.add(fault.target());
    try {
      fault.inject();
      progress.accept("fault    " + planned.kind() + " " + fault.target());
      // Whether it is the end or not: what was done is undone here.
      if (stop.await(planned.millis(), TimeUnit.MILLISECONDS)) {
        progress.accept("the end comes before the fault is over");
      }
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) { // whatever a fault throws: the next one is tried all the same
      problem = String.valueOf(e.getMessage()).lines().findFirst().orElse(e.toString());
      progress.accept("fault    " + planned.kind() + " not done: " + problem);
    }
    held.remove(fault.target());
    try {
      fault.heal();
      if (planned.millis() > 0) {
        progress.accept("healed   " + planned.kind() + " " + fault.target());
      }
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) { // the end heals again
      problem = "not healed: " + e.getMessage();
      progress.accept("fault    " + planned.kind() + " " + problem);
    }
    done.add(
        new InjectedFault(
            planned.kind(), fault.target(), injected, clock.monotonicNanos(), problem));
  }
}
