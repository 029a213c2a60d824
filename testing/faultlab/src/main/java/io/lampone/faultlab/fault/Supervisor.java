package io.lampone.faultlab.fault;

import io.lampone.cluster.ClusterMember;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Supervises a cluster for its whole life: restarts members that exit, as the supervisor of a real
 * cluster would, and records the primaries.
 */
public final class Supervisor implements AutoCloseable {

  private static final long SUPERVISION_MILLIS = 1_000;

  /** Validators without a share are added again every so many turns. */
  private static final int TURNS_UNTIL_SHARES = 5;

  /** A machine on which this thread comes so much too late may have lost sessions, too. */
  private static final long STOOD_MILLIS = 1_000;

  /** Time until a process that has lost its session has ended. */
  private static final long STOOD_EXPLAINS_MILLIS = 30_000;

  private final Victims victims;
  private final FaultWorks works;
  private final Clock clock;
  private final Consumer<String> progress;
  private final ConcurrentLinkedQueue<Takeover> takeovers = new ConcurrentLinkedQueue<>();

  /** Members that a fault keeps down. */
  private final Set<String> held = ConcurrentHashMap.newKeySet();

  private final Exits exits = new Exits();

  private final CountDownLatch closed = new CountDownLatch(1);

  private int turns;

  /** End of the time in which the machine explains exits. */
  private volatile long stoodUntilNanos;

  /** The last observed primary; used by the supervisor's thread only. */
  private String lastPrimary = "";

  private Supervisor(Victims victims, FaultWorks works, Clock clock, Consumer<String> progress) {
    this.victims = victims;
    this.works = works;
    this.clock = clock;
    this.progress = progress;
    this.stoodUntilNanos = clock.monotonicNanos();
  }

  /**
   * Targets of faults; some faults need a separate network for each host, and a library preloaded
   * into each server.
   */
  public record Victims(
      Machines machines,
      Optional<NamespaceNetwork> network,
      Optional<LibcFaults> libcFaults,
      Clients clients,
      String quorum) {}

  /**
   * Begins.
   *
   * @param site hbase-site.xml of the cluster
   */
  public static Supervisor start(Victims victims, Path site, Clock clock, Consumer<String> progress)
      throws IOException {
    FaultWorks works =
        new FaultWorks(
            victims, new Regions(site), new PrimaryLocator(victims.quorum(), site), clock);
    Supervisor supervisor = new Supervisor(victims, works, clock, progress);
    Thread thread = new Thread(supervisor::supervise, "supervisor");
    thread.setDaemon(true);
    thread.start();
    return supervisor;
  }

  FaultWorks works() {
    return works;
  }

  /** From now on a fault keeps this member down. */
  void hold(String member) {
    exits.expect(member);
    held.add(member);
  }

  /** Not any more. */
  void release(String member) {
    held.remove(member);
  }

  /** The fault is healed: if the member ends now, it does so by itself. */
  void healed(String member) {
    exits.expectNoMore(member);
  }

  /** Returns the servers that have ended by themselves. */
  public Exits exits() {
    return exits;
  }

  /** Gives each validator a share of the buckets. */
  public void giveShares() throws IOException, InterruptedException {
    works.validators().add(works.validators().names());
  }

  /** Returns the number of votes of the validators. */
  public long votes() {
    return works.validators().votes();
  }

  /** Starts all processes, and opens all directions. */
  void healAll() throws IOException, InterruptedException {
    if (victims.network().isPresent()) {
      victims.network().get().heal();
    }
    long now = clock.monotonicNanos();
    victims.machines().restartDead(held, dead -> found(dead, now));
    victims.machines().ensureAllRunning();
  }

  /**
   * Returns the primaries since then, each with the time it was first seen; the first is the one of
   * that time.
   */
  List<Takeover> takeoversSince(long nanos) {
    List<Takeover> all = List.copyOf(takeovers);
    int first = 0;
    while (first + 1 < all.size() && all.get(first + 1).nanos() - nanos <= 0) {
      first++;
    }
    return all.subList(first, all.size());
  }

  @Override
  public void close() throws IOException {
    closed.countDown();
    works.close();
  }

  private void supervise() {
    try {
      long slept = clock.monotonicNanos();
      while (!closed.await(SUPERVISION_MILLIS, TimeUnit.MILLISECONDS)) {
        noteStandstill(slept);
        look();
        slept = clock.monotonicNanos();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void noteStandstill(long sleptNanos) {
    long now = clock.monotonicNanos();
    long late = TimeUnit.NANOSECONDS.toMillis(now - sleptNanos) - SUPERVISION_MILLIS;
    if (late > STOOD_MILLIS) {
      progress.accept("the machine has stood still for " + late + " ms");
      stoodUntilNanos = now + TimeUnit.MILLISECONDS.toNanos(STOOD_EXPLAINS_MILLIS);
    }
  }

  /** Records a dead member; the machine may also have stood still since the look began. */
  private void found(ClusterMember dead, long beganNanos) {
    long now = clock.monotonicNanos();
    boolean isSlow = now - beganNanos > TimeUnit.MILLISECONDS.toNanos(STOOD_MILLIS);
    exits.found(dead.name(), dead.role(), now, isSlow || now - stoodUntilNanos < 0);
    progress.accept(dead.name() + " had ended, and was started again");
  }

  /** Restarts dead members; one that cannot start now is retried a little later. */
  private void look() throws InterruptedException {
    long began = clock.monotonicNanos();
    try {
      victims.machines().restartDead(held, dead -> found(dead, began));
      notePrimary();
      if (++turns % TURNS_UNTIL_SHARES == 0) {
        works.validators().addIdle();
      }
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
}
