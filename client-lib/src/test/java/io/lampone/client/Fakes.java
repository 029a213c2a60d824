package io.lampone.client;

import io.lampone.client.core.BlockerResolver;
import io.lampone.client.core.CommitProtocol;
import io.lampone.client.core.FastPathStore;
import io.lampone.client.core.FastPathWrites;
import io.lampone.client.core.IntentResolver;
import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.client.core.OneRegionCommitter;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.OperationNames;
import io.lampone.client.core.OperationStatusLookup;
import io.lampone.client.core.PostCommit;
import io.lampone.client.core.ReadSet;
import io.lampone.client.core.Session;
import io.lampone.client.core.TransactionLimits;
import io.lampone.client.core.TransactionManagerPort;
import io.lampone.client.core.TransactionStore;
import io.lampone.client.core.hold.HoldKeeper;
import io.lampone.client.core.progress.ProgressReporter;
import io.lampone.client.core.slow.SlowTransactionLog;
import io.lampone.client.core.slow.TransactionTrace;
import io.lampone.client.core.status.StatusQuery;
import io.lampone.client.core.step.Step;
import io.lampone.client.core.vote.Reserver;
import io.lampone.client.driver.AsyncRequest;
import io.lampone.client.driver.Driver;
import io.lampone.client.driver.SnapshotHoldCalls;
import io.lampone.client.driver.Timer;
import io.lampone.client.driver.TransactionManagerCalls;
import io.lampone.client.hbase.FastPathParts;
import io.lampone.client.hbase.HBaseTransaction;
import io.lampone.client.hbase.TableCache;
import io.lampone.client.hbase.WriteTranslator;
import io.lampone.client.hbase.transport.AsyncRegionTransport;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.client.hbase.transport.StoreMetrics;
import io.lampone.client.hbase.transport.StoreSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.time.Backoff;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.SnapshotHolds;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import io.lampone.protocol.wire.Priority;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A store and a transaction manager in memory: for what a client does above them. */
public final class Fakes implements TransactionManager {

  private final TransactionStore store = new Store();
  private final Session session = new Session();
  private final AtomicLong last = new AtomicLong(Timestamps.PLAIN_LIMIT);
  private final List<ReadSet.Point> certified = new CopyOnWriteArrayList<>();
  private volatile CompletableFuture<Outcome> leaderCommit;
  private volatile CompletableFuture<Void> beginsGoOn = CompletableFuture.completedFuture(null);
  private volatile boolean leadersCommit;
  private volatile boolean closed;
  private Reserver reserver = Reserver.NONE;
  // how far the keeper of holds lags behind: what begins before it catches up is old to it
  private volatile Duration keeperLag = Duration.ofHours(1);
  private final HoldKeeper keeper =
      new HoldKeeper(new SnapshotHoldCalls(new SlowlyReleased()), new LaggingClock());
  private volatile boolean released;

  /** Leader commits hang from now on. */
  public void hangAtCommit() {
    leaderCommit = new CompletableFuture<>();
  }

  /** Commit entries are gone when their transactions commit, from now on. */
  public void loseLeaders() {
    leaderCommit = CompletableFuture.completedFuture(Outcome.NOTHING);
  }

  /** Returns the rows whose reads were certified. */
  public List<ReadSet.Point> certified() {
    return certified;
  }

  /** Leaders commit just before they are read, from now on. */
  void commitLeaders() {
    leadersCommit = true;
  }

  /** Begins are answered when this is completed, from now on. */
  public CompletableFuture<Void> hangAtBegin() {
    beginsGoOn = new CompletableFuture<>();
    return beginsGoOn;
  }

  /** How many timestamps were given out. */
  public long timestampsIssued() {
    return (last.get() - Timestamps.PLAIN_LIMIT) / Timestamps.TICK;
  }

  public boolean isClosed() {
    return closed;
  }

  /** What transactions share, on these fakes. */
  public OpenTransaction.Services services() {
    PostCommit postCommit = new PostCommit(store, 10);
    TransactionManagerPort port = new TransactionManagerCalls(this);
    return new OpenTransaction.Services(
        store,
        new IntentResolver(store, port, postCommit),
        new CommitProtocol(store, port, new Random(1), noReports()),
        postCommit,
        SystemClock.INSTANCE,
        TransactionLimits.DEFAULT,
        session,
        new OneRegionCommitter(
            new NoRegion(), fates(), session, new Random(1), new OneRegionCommitter.Limits(1, 1)),
        TransactionTrace.NONE,
        reserver);
  }

  /** Clients from now on reserve what they write, and another client holds all of it. */
  void holdAllRows() {
    reserver =
        new Reserver(
            new TransactionManagerCalls(this),
            () -> BucketMap.OF_PRIMARY,
            () -> Step.done(BucketMap.OF_PRIMARY));
  }

  /** Writes nothing. */
  public static SlowTransactionLog neverSlow() {
    return new SlowTransactionLog(Duration.ZERO, line -> {});
  }

  private static ProgressReporter noReports() {
    return new ProgressReporter(
        report -> Step.failed(new IllegalStateException("reports")),
        List::of,
        now -> List.of(),
        TreeMap::new);
  }

  private OperationStatusLookup fates() {
    return new OperationStatusLookup(new NoRegion(), session, new Random(1));
  }

  private FastPathParts fastPath() {
    FastPathWrites writes =
        new FastPathWrites(
            new NoRegion(),
            new BlockerResolver(store, new TransactionManagerCalls(this)),
            fates(),
            session,
            new Random(1),
            Duration.ofSeconds(1));
    return new FastPathParts(
        session,
        new OperationNames(1),
        writes,
        fates(),
        services().resolver(),
        new TransactionManagerCalls(this),
        SystemClock.INSTANCE,
        Duration.ofSeconds(1));
  }

  /** No transaction lies in one region, and nothing was ever applied. */
  private static final class NoRegion implements FastPathStore {
    @Override
    public Step<List<List<Bytes>>> regionsOf(String table, List<Bytes> rows, boolean again) {
      return Step.done(List.of(rows));
    }

    @Override
    public Step<Boolean> mayCommitInOneRegion(String table, List<Bytes> rows) {
      return Step.done(false);
    }

    @Override
    public Step<List<End>> send(
        String table, List<? extends RegionRequest> requests, long deadlineNanos) {
      return Step.done(
          List.of(
              new End.Answered(
                  new FastReply(List.of(FastReply.Outcome.of(FastReply.Kind.NOT_APPLIED, 0)), 0))));
    }
  }

  /** A client of these fakes. */
  public LamponeClient client() {
    return client(delay -> CompletableFuture.completedFuture(null), () -> {});
  }

  /** A client that waits by this timer before it repeats, and closes another part. */
  LamponeClient client(Timer timer, AutoCloseable part) {
    return client(
        LamponeClientConfig.builder().closeTimeout(Duration.ofSeconds(1)).build(),
        timer,
        part,
        new Backoff(Duration.ofMillis(1), Duration.ofMillis(2)));
  }

  /** The same with other settings and pauses. */
  LamponeClient client(
      LamponeClientConfig config, Timer timer, AutoCloseable part, Backoff backoff) {
    OpenTransaction.Services services = services();
    return new LamponeClient(
        new ClientParts(
            config,
            this,
            services,
            new HBaseTransaction.Context(
                withoutServers(),
                noTables(),
                new WriteTranslator(1 << 20),
                keeper,
                neverSlow(),
                1000),
            fastPath(),
            services.postCommit(),
            new StatusQuery(store, new TransactionManagerCalls(this), fates()),
            noReports(),
            null,
            new StoreMetrics(),
            timer,
            SystemClock.INSTANCE,
            new Random(1),
            backoff,
            List.of(() -> closed = true, part)));
  }

  /** A cache that knows no table, and has none to ask. */
  public static TableCache noTables() {
    return new TableCache(null, SystemClock.INSTANCE, Duration.ofMinutes(1));
  }

  /** A way to HBase over which nothing gets as far as a server. */
  public static StoreAccess withoutServers() {
    return new StoreAccess(
        null,
        new AsyncRegionTransport(null, StoreSettings.DEFAULT, SystemClock.INSTANCE),
        StoreSettings.DEFAULT,
        new Driver(delay -> CompletableFuture.completedFuture(null), SystemClock.INSTANCE),
        new Random(1),
        new StoreMetrics());
  }

  private final class LaggingClock implements Clock {
    @Override
    public long wallMillis() {
      return SystemClock.INSTANCE.wallMillis();
    }

    @Override
    public long monotonicNanos() {
      return SystemClock.INSTANCE.monotonicNanos() - keeperLag.toNanos();
    }
  }

  /**
   * Whether a transaction of the client has begun and not ended, as its keeper of holds sees it.
   */
  boolean holdsSomething() {
    keeperLag = Duration.ZERO;
    sweep(keeper); // asks how long the retention is
    sweep(keeper);
    return keeper.isHolding();
  }

  /** Has a keeper do what is due. */
  public static void sweep(HoldKeeper keeper) {
    withoutServers().driver().start(keeper.sweep()).join();
  }

  /** A keeper that nobody ever wakes. */
  public static HoldKeeper holds() {
    return new HoldKeeper(new SnapshotHoldCalls(new NoHolds()), SystemClock.INSTANCE);
  }

  /** Whether the client has released its hold before its parts were closed. */
  boolean isReleased() {
    return released;
  }

  /** Releases take a while. */
  private final class SlowlyReleased extends NoHolds {
    @Override
    public CompletableFuture<Void> release(String name) {
      return CompletableFuture.runAsync(
          () -> released = !closed, CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS));
    }
  }

  private static class NoHolds implements SnapshotHolds {
    private static final Terms TERMS = new Terms(Duration.ofMinutes(10), Duration.ofMinutes(10));

    @Override
    public CompletableFuture<Terms> terms() {
      return CompletableFuture.completedFuture(TERMS);
    }

    @Override
    public CompletableFuture<Terms> hold(String name, long timestamp, Duration lifetime) {
      return CompletableFuture.completedFuture(TERMS);
    }

    @Override
    public CompletableFuture<Void> renew(String name, Duration lifetime) {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> release(String name) {
      return CompletableFuture.completedFuture(null);
    }
  }

  /** What was asked with a priority: "begin BATCH", say. */
  final List<String> prioritized = new ArrayList<>();

  @Override
  public TransactionManager withPriority(Priority priority) {
    Fakes all = this;
    return new TransactionManager() {
      @Override
      public CompletableFuture<Begin> begin() {
        prioritized.add("begin " + priority);
        return all.begin();
      }

      @Override
      public CompletableFuture<Validation> validate(Request request) {
        prioritized.add("validate " + priority);
        return all.validate(request);
      }

      @Override
      public CompletableFuture<Status> status(long startTimestamp, long snapshot) {
        return all.status(startTimestamp, snapshot);
      }
    };
  }

  @Override
  public CompletableFuture<Begin> begin() {
    return beginsGoOn.thenApply(
        go -> {
          long start = last.addAndGet(Timestamps.TICK);
          return new Begin(start, Timestamps.PLAIN_LIMIT, Proofs.OPEN.grant(start, 0));
        });
  }

  @Override
  public CompletableFuture<Validation> validate(Request request) {
    long commit = last.addAndGet(Timestamps.TICK);
    return CompletableFuture.completedFuture(
        request.conditional()
            ? new Validation.Assigned(commit, Tag.NONE)
            : new Validation.Passed(commit, Tag.NONE));
  }

  @Override
  public CompletableFuture<Validation> reserve(
      Optional<BucketMap.Node> at, Request request, boolean release) {
    return CompletableFuture.completedFuture(
        new Validation.Held(0, request.startTimestamp() - Timestamps.TICK));
  }

  @Override
  public CompletableFuture<Status> status(long startTimestamp, long snapshot) {
    return CompletableFuture.completedFuture(new Status.NotRequested());
  }

  private final class Store implements TransactionStore {

    @Override
    public Step<Void> flush(FlushBatch batch) {
      return Step.done();
    }

    @Override
    public Step<Outcome> commitLeader(
        TransactionId id, long floor, long commitTimestamp, Tag pass) {
      return leaderCommit != null
          ? AsyncRequest.step(() -> leaderCommit)
          : state(TransactionState.COMMITTED, commitTimestamp);
    }

    @Override
    public Step<Outcome> abortLeader(
        TransactionId id, long floor, boolean plantOnAbsence, Proof proof) {
      return state(TransactionState.ABORTED, 0);
    }

    @Override
    public Step<Outcome> finishLeader(
        TransactionId id, long floor, long commitTimestamp, Proof proof) {
      return state(TransactionState.FINAL, commitTimestamp);
    }

    @Override
    public Step<Void> heal(
        TransactionId id, long floor, Collection<RowFamily> followers, Fate fate) {
      return Step.done();
    }

    @Override
    public Step<Optional<Changed>> certify(Certification wanted) {
      certified.addAll(wanted.points());
      return Step.done(Optional.empty());
    }

    @Override
    public Step<RangeFindings> certify(RangeCertification wanted) {
      return Step.done(RangeFindings.UNCHANGED);
    }

    @Override
    public Step<Outcome> resolve(Intent intent, long floor) {
      return Step.done(Outcome.NOTHING);
    }

    @Override
    public Step<Map<TransactionId, Outcome>> readLeaders(
        Collection<TransactionId> ids, long floor) {
      Map<TransactionId, Outcome> outcomes = new HashMap<>();
      ids.forEach(
          id ->
              outcomes.put(
                  id,
                  leadersCommit
                      ? new Outcome(
                          Optional.of(TransactionState.COMMITTED),
                          last.addAndGet(Timestamps.TICK),
                          true)
                      : Outcome.NOTHING));
      return Step.done(outcomes);
    }

    private static Step<Outcome> state(TransactionState state, long commitTimestamp) {
      return Step.done(new Outcome(Optional.of(state), commitTimestamp, true));
    }
  }
}
