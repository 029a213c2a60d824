package io.lampone.simulation.hbase;

import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.clock.TimestampBatches;
import io.lampone.coprocessor.core.fastpath.FencedAttempts;
import io.lampone.coprocessor.core.fence.Fences;
import io.lampone.coprocessor.core.fence.OwnSession;
import io.lampone.coprocessor.core.fence.ProofCheck;
import io.lampone.coprocessor.core.fence.SessionProof;
import io.lampone.coprocessor.core.intent.KnownRows;
import io.lampone.coprocessor.core.intent.SettledRows;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.trust.ClusterKey;
import io.lampone.simulation.invariant.InvariantChecker;
import io.lampone.simulation.manager.ManagerPort;
import io.lampone.simulation.manager.SimulatedManager;
import io.lampone.simulation.manager.SimulatedValidators;
import io.lampone.simulation.mutant.Parts;
import io.lampone.simulation.world.Coordination;
import io.lampone.simulation.world.Disk;
import io.lampone.simulation.world.Focus;
import io.lampone.simulation.world.SimulatedMachine;
import io.lampone.simulation.world.SimulatedNetwork;
import io.lampone.simulation.world.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A region server: the real fences, clock, timestamp batches and proof, and the timers that the
 * real one has around them. It may lose its session without noticing, and then serves on as a
 * zombie.
 */
public final class RegionServer extends SimulatedMachine {

  private static final Duration TICK_PERIOD = Duration.ofMillis(120);
  private static final Duration HURRY_PAUSE = Duration.ofMillis(2);

  /** Shorter than the patience of clients. */
  private static final Duration ABORTABLE_AGE = Duration.ofMillis(50);

  /** So few operations in doubt that a flood fills their memory. */
  private static final int REMEMBERED_ATTEMPTS = 200;

  private static final int TICKS = 3;
  private static final int LEFT_EARLY_ONE_IN = 2;

  /** So few that rows drive each other out. */
  private static final int REMEMBERED_ROWS = 8;

  private final SimulatedNetwork network;
  private final Coordination coordination;
  private final List<SimulatedManager> managers;
  private final Parts parts;
  private final InvariantChecker invariantChecker;
  private final Map<Integer, ServedRegion> regions = new TreeMap<>();
  private SettledRows settled = new SettledRows(REMEMBERED_ROWS);
  private KnownRows known = new KnownRows(REMEMBERED_ROWS);
  private final Map<Integer, FencedAttempts> fencedAttempts = new HashMap<>();
  private ZooKeeperSession session;
  private Fences fences;
  private SessionProof proof;
  private LocalVersionClock versions;
  private ProofCheck proofs;
  private TimestampBatches timestampBatches;
  private ManagerPort port;
  private Optional<Supplier<RegionCalls>> healing = Optional.empty();
  private Optional<HealerProcess> resolver = Optional.empty();
  private boolean fetching;
  private final Disk disk = new Disk(this, this::crash);

  public RegionServer(
      World world,
      String name,
      SimulatedNetwork network,
      Coordination coordination,
      List<SimulatedManager> managers,
      Parts parts,
      InvariantChecker invariantChecker) {
    super(world, name);
    this.network = network;
    this.coordination = coordination;
    this.managers = managers;
    this.parts = parts;
    this.invariantChecker = invariantChecker;
    this.session = new ZooKeeperSession(this, coordination, network);
    this.fences = new Fences(coordination.nodeFor(this), clock());
    this.proof = new SessionProof(clock(), session);
    this.versions = new LocalVersionClock(parts.plan().localNumbers());
    this.timestampBatches = new TimestampBatches(versions, fences);
    this.proofs = new ProofCheck(ClusterKey.OPEN, ABORTABLE_AGE, false, this::hurryTicks, clock());
    this.port =
        new ManagerPort(this, network, coordination, managers, new SimulatedValidators(), parts);
    start();
  }

  private void start() {
    versions.onNeed(this::hurryTicks);
    fetching = false;
    coordination.watch(this, () -> fences.refresh());
    fences.refresh();
    beat();
    fetchPeriodically();
    heal();
  }

  /** A new process, with a new session and without regions. */
  void boot() {
    revive();
    session = new ZooKeeperSession(this, coordination, network);
    fences = new Fences(coordination.nodeFor(this), clock());
    proof = new SessionProof(clock(), session);
    versions = new LocalVersionClock(parts.plan().localNumbers());
    timestampBatches = new TimestampBatches(versions, fences);
    proofs = new ProofCheck(ClusterKey.OPEN, ABORTABLE_AGE, false, this::hurryTicks, clock());
    port = new ManagerPort(this, network, coordination, managers, new SimulatedValidators(), parts);
    start();
  }

  public void crash() {
    die();
    disk.replace();
    regions.clear();
    fencedAttempts.clear();
    settled = new SettledRows(REMEMBERED_ROWS);
    known = new KnownRows(REMEMBERED_ROWS);
  }

  public Disk disk() {
    return disk;
  }

  /**
   * Returns true if only a fenced transaction manager can still let a write through. With focus
   * {@code RIVALS} every such write becomes visible late; with {@code SUPERSEDED} only that of the
   * leader does, and now and then before there is a new manager.
   */
  boolean isLeftBehind(RegionRequest request) {
    Focus focus = parts.plan().focus();
    if (!focus.hasRivals() || !(request instanceof RegionRequest.Flush flush)) {
      return false;
    }
    boolean early =
        focus == Focus.SUPERSEDED && !network.isCalm() && world().chance().oneIn(LEFT_EARLY_ONE_IN);
    return (focus == Focus.RIVALS || flush.rows().contains(flush.leader().row()))
        && (early
            || coordination.record().filter(r -> flush.startTimestamp() < r.floor()).isPresent());
  }

  ZooKeeperSession session() {
    return session;
  }

  public LocalVersionClock versions() {
    return versions;
  }

  public Fences fences() {
    return fences;
  }

  TimestampBatches timestampBatches() {
    return timestampBatches;
  }

  ManagerPort port() {
    return port;
  }

  /** From now on, and after each restart, settles here what transactions leave behind. */
  public void healBy(Supplier<RegionCalls> calls) {
    healing = Optional.of(calls);
    heal();
  }

  /** Resolves an intent for a reader. */
  void resolve(TransactionId id, RowFamily met) {
    resolver.ifPresent(found -> found.resolve(id, met));
  }

  private void heal() {
    resolver = healing.map(calls -> new HealerProcess(this, calls.get()));
    if (healing.isEmpty() || parts.plan().healEvery().isZero()) {
      return;
    }
    HealerProcess healer = new HealerProcess(this, healing.get().get());
    after(world().chance().nanosUpTo(parts.plan().healEvery()), () -> pass(healer));
  }

  private void pass(HealerProcess healer) {
    healer.pass(
        () -> after(world().chance().nanosUpTo(parts.plan().healEvery()), () -> pass(healer)));
  }

  ProofCheck proofs() {
    return proofs;
  }

  SessionProof proof() {
    return proof;
  }

  Parts parts() {
    return parts;
  }

  InvariantChecker invariantChecker() {
    return invariantChecker;
  }

  Optional<ServedRegion> region(int number) {
    return Optional.ofNullable(regions.get(number));
  }

  public Collection<ServedRegion> regions() {
    return List.copyOf(regions.values());
  }

  SettledRows settled() {
    return settled;
  }

  KnownRows known() {
    return known;
  }

  FencedAttempts fencedAttempts(int region) {
    return fencedAttempts.computeIfAbsent(
        region,
        r ->
            parts.plan().flooded()
                ? new FencedAttempts(clock(), REMEMBERED_ATTEMPTS)
                : new FencedAttempts(clock()));
  }

  /** Opens a region from its durable state. */
  void open(RegionLog log, long opening) {
    say("OPENS region=" + log.region() + " opening=" + opening);
    regions.put(log.region(), new ServedRegion(this, log, opening, parts.fence(fences)));
    hurryTicks();
  }

  /** Closes a region when its work under way has ended; then runs {@code closed}. */
  void close(int number, Runnable closed) {
    ServedRegion region = regions.get(number);
    if (region != null) {
      region.close(
          () -> {
            say("CLOSED region=" + number);
            regions.remove(number, region);
            closed.run();
          });
    }
  }

  /** Requests ticks at once. */
  void hurryTicks() {
    after(HURRY_PAUSE, this::fetchTicks);
  }

  private void beat() {
    proof.probe();
    fences.retry();
    after(session.timeoutNanos() / SessionProof.PROBES_PER_TIMEOUT, this::beat);
  }

  private void fetchPeriodically() {
    fetchTicks();
    after(TICK_PERIOD, this::fetchPeriodically);
  }

  private void fetchTicks() {
    Optional<ManagerRecord> manager = fences.manager();
    if (fetching || manager.isEmpty()) {
      return;
    }
    if (port.epoch() < manager.get().epoch()) {
      port.disconnect();
    }
    fetching = true;
    long request = timestampBatches.send();
    // All ticks of an arrival are of one epoch, as they are on one connection.
    Set<Long> epochs = new HashSet<>();
    List<CompletableFuture<Begin>> asked = new ArrayList<>();
    for (int i = 0; i < TICKS; i++) {
      asked.add(port.begin().whenComplete((begin, failure) -> epochs.add(port.epoch())));
    }
    CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
        .whenComplete(
            (done, failure) -> {
              fetching = false;
              if (failure != null || epochs.size() != 1) {
                fences.refresh();
                return;
              }
              long[] ticks =
                  asked.stream().mapToLong(one -> one.join().startTimestamp()).sorted().toArray();
              timestampBatches.arrived(request, parts.epochOfTicks(port.epoch(), fences), ticks);
              fences.issued(ticks[ticks.length - 1]);
            });
  }

  /** The session in ZooKeeper, and the server's view of it. */
  public static final class ZooKeeperSession implements OwnSession {

    public static final Duration TIMEOUT = Duration.ofMillis(450);

    private final RegionServer server;
    private final Coordination coordination;
    private final SimulatedNetwork network;
    private final int incarnation;
    private long heardNanos;
    private boolean expired;

    ZooKeeperSession(RegionServer server, Coordination coordination, SimulatedNetwork network) {
      this.server = server;
      this.coordination = coordination;
      this.network = network;
      this.incarnation = server.incarnation();
      this.heardNanos = server.world().nowNanos();
    }

    @Override
    public long timeoutNanos() {
      return TIMEOUT.toNanos();
    }

    @Override
    public void probe(Runnable alive) {
      if (coordination.isCutOff(server)) {
        return;
      }
      network.send(
          coordination.machine(),
          () -> {
            if (!isExpired()) {
              heardNanos = server.world().nowNanos();
              if (server.incarnation() == incarnation) {
                network.send(server, alive);
              }
            }
          });
    }

    /** Returns true if ZooKeeper has expired the session; this is final. */
    boolean isExpired() {
      expired |= server.world().nowNanos() - heardNanos >= TIMEOUT.toNanos();
      return expired;
    }
  }
}
