package io.lampone.simulation.client;

import io.lampone.client.core.BlockerResolver;
import io.lampone.client.core.CommitProtocol;
import io.lampone.client.core.FastPathStore;
import io.lampone.client.core.FastPathWrites;
import io.lampone.client.core.FastReads;
import io.lampone.client.core.IntentResolver;
import io.lampone.client.core.OneRegionCommitter;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.OperationNames;
import io.lampone.client.core.OperationStatusLookup;
import io.lampone.client.core.PostCommit;
import io.lampone.client.core.Session;
import io.lampone.client.core.TransactionLimits;
import io.lampone.client.core.TransactionManagerPort;
import io.lampone.client.core.TransactionStore;
import io.lampone.client.core.progress.ProgressReporter;
import io.lampone.client.core.slow.TransactionTrace;
import io.lampone.client.core.status.StatusQuery;
import io.lampone.client.core.step.Step;
import io.lampone.client.core.vote.Reserver;
import io.lampone.client.driver.AsyncRequest;
import io.lampone.client.driver.Driver;
import io.lampone.client.driver.TransactionManagerCalls;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.TimestampOracle;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.protocol.trust.Tag;
import io.lampone.simulation.hbase.RegionCalls;
import io.lampone.simulation.invariant.InvariantChecker;
import io.lampone.simulation.manager.PassingManager;
import io.lampone.simulation.mutant.Parts;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.SimulatedMachine;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** Parts of one client: the real core over simulated ports. */
record SimulatedClientParts(
    Parts parts,
    Driver driver,
    Session session,
    TransactionManager manager,
    RegionCalls calls,
    OpenTransaction.Services services,
    FastPathWrites fastWrites,
    OperationNames names,
    FastReads fastReads,
    StatusQuery status,
    ProgressReporter progress) {

  private static final int HOUSEKEEPING = 16;
  private static final int RECORDED_FOLLOWERS = 64;
  private static final int CELLS = 1_000;
  private static final int ONE_REGION_ROWS = 10;
  private static final Duration FAST_PATIENCE = Duration.ofMillis(100);

  static SimulatedClientParts make(
      SimulatedMachine client,
      TransactionManager plainManager,
      RegionCalls calls,
      Parts parts,
      InvariantChecker checker) {
    Session session = new Session();
    TransactionManager manager =
        new WatchedManager(parts.manager(plainManager), client.world(), checker);
    TransactionStore store = parts.store(new SimulatedStore(calls));
    FastPathStore fastStore = parts.fastStore(new SimulatedFastStore(calls));
    Chance chance = client.world().chance();
    PostCommit postCommit = new PostCommit(store, HOUSEKEEPING);
    TransactionStore met = hasRights(client) ? store : new ReaderWithoutRights(store);
    TransactionManagerPort port = new TransactionManagerCalls(manager);
    IntentResolver resolver = new IntentResolver(met, port, postCommit);
    OperationStatusLookup fates = new OperationStatusLookup(fastStore, session, chance);
    ProgressReporter progress =
        new ProgressReporter(
            new TransactionManagerCalls(manager), List::of, now -> List.of(), TreeMap::new);
    CommitProtocol protocol =
        new CommitProtocol(
            committing(store, checker),
            new TransactionManagerCalls(validating(manager, checker)),
            chance,
            progress);
    OpenTransaction.Services services =
        new OpenTransaction.Services(
            store,
            resolver,
            protocol,
            postCommit,
            client.clock(),
            new TransactionLimits(parts.plan().bufferBytes(), CELLS, RECORDED_FOLLOWERS),
            session,
            new OneRegionCommitter(
                fastStore,
                fates,
                session,
                chance,
                new OneRegionCommitter.Limits(ONE_REGION_ROWS, 1 << 20)),
            TransactionTrace.NONE,
            parts.plan().early()
                ? new Reserver(port, protocol::map, protocol::refreshMap)
                : Reserver.NONE);
    FastPathWrites fastWrites =
        new FastPathWrites(
            fastStore, new BlockerResolver(store, port), fates, session, chance, FAST_PATIENCE);
    TimestampOracle oracle = parts.readingOracle(manager, session);
    return new SimulatedClientParts(
        parts,
        client.driver(),
        session,
        manager,
        calls,
        services,
        fastWrites,
        new OperationNames(chance.nextLong() | 1),
        new FastReads(session, resolver, () -> AsyncRequest.step(oracle::begin)),
        new StatusQuery(store, port, fates),
        progress);
  }

  /** Reports what is validated, and which transactions have a condition. */
  private static TransactionManager validating(
      TransactionManager manager, InvariantChecker checker) {
    return new PassingManager(manager) {
      @Override
      public CompletableFuture<Validation> validate(Request request) {
        checker.conditional(request.startTimestamp(), request.conditional());
        checker.validates(request.startTimestamp(), request.check(), request.record());
        return super.validate(request);
      }

      @Override
      public CompletableFuture<Validation> vote(BucketMap.Node at, Vote vote) {
        checker.validates(vote.assignment().startTimestamp(), vote.check(), vote.record());
        return super.vote(at, vote);
      }
    };
  }

  /** Reports transactions that are committed by their own client. */
  private static TransactionStore committing(TransactionStore store, InvariantChecker checker) {
    return new PassingStore(store) {
      @Override
      public Step<Outcome> commitLeader(
          TransactionId id, long floor, long commitTimestamp, Tag pass) {
        checker.commitsItself(id.startTimestamp());
        return super.commitLeader(id, floor, commitTimestamp, pass);
      }
    };
  }

  /** Returns false for one client of three: it may not query the leaders of other intents. */
  private static boolean hasRights(SimulatedMachine client) {
    return Math.floorMod(client.name().hashCode(), 3) != 0;
  }
}
