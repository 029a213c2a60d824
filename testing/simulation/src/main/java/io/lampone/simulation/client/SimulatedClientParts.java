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
import io.lampone.client.core.StatusQuery;
import io.lampone.client.core.Timer;
import io.lampone.client.core.TransactionLimits;
import io.lampone.client.core.TransactionStore;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.simulation.hbase.ReaderWithoutRights;
import io.lampone.simulation.hbase.RegionCalls;
import io.lampone.simulation.mutant.Parts;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.SimulatedMachine;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Parts of one client: the real core over simulated ports. */
record SimulatedClientParts(
    Session session,
    TransactionManager manager,
    RegionCalls calls,
    OpenTransaction.Services services,
    FastPathWrites fastWrites,
    OperationNames names,
    FastReads fastReads,
    StatusQuery status) {

  private static final int HOUSEKEEPING = 16;
  private static final int RECORDED_FOLLOWERS = 64;
  private static final int CELLS = 1_000;
  private static final int ONE_REGION_ROWS = 10;
  private static final Duration FAST_PATIENCE = Duration.ofMillis(100);

  static SimulatedClientParts make(
      SimulatedMachine client, TransactionManager plainManager, RegionCalls calls, Parts parts) {
    Session session = new Session();
    TransactionManager manager = parts.manager(plainManager);
    TransactionStore store = parts.store(new SimulatedStore(calls));
    FastPathStore fastStore = parts.fastStore(new SimulatedFastStore(calls));
    Chance chance = client.world().chance();
    Timer timer =
        delay -> {
          CompletableFuture<Void> done = new CompletableFuture<>();
          client.after(delay, () -> done.complete(null));
          return done;
        };
    PostCommit postCommit = new PostCommit(store, HOUSEKEEPING, timer);
    TransactionStore met = hasRights(client) ? store : new ReaderWithoutRights(store);
    IntentResolver resolver = new IntentResolver(met, manager, postCommit);
    FastPathWrites.Waits waits = new FastPathWrites.Waits(client.clock(), timer, chance);
    OperationStatusLookup fates =
        new OperationStatusLookup(fastStore, session, client.clock(), timer, chance);
    OpenTransaction.Services services =
        new OpenTransaction.Services(
            store,
            resolver,
            new CommitProtocol(store, manager, client.clock(), timer, chance),
            postCommit,
            client.clock(),
            new TransactionLimits(parts.plan().bufferBytes(), CELLS, RECORDED_FOLLOWERS),
            session,
            new OneRegionCommitter(
                fastStore,
                fates,
                session,
                waits,
                new OneRegionCommitter.Limits(ONE_REGION_ROWS, 1 << 20)));
    FastPathWrites fastWrites =
        new FastPathWrites(
            fastStore, new BlockerResolver(store, manager), fates, session, waits, FAST_PATIENCE);
    return new SimulatedClientParts(
        session,
        manager,
        calls,
        services,
        fastWrites,
        new OperationNames(chance.nextLong() | 1),
        new FastReads(session, resolver, parts.readingOracle(manager, session)),
        new StatusQuery(store, manager, fates));
  }

  /** One client of three may not ask the leaders of the intents that it meets. */
  private static boolean hasRights(SimulatedMachine client) {
    return Math.floorMod(client.name().hashCode(), 3) != 0;
  }
}
