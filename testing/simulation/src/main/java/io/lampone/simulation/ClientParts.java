package io.lampone.simulation;

import io.lampone.client.core.BlockerResolver;
import io.lampone.client.core.CommitProtocol;
import io.lampone.client.core.FastPathStore;
import io.lampone.client.core.FastPathWrites;
import io.lampone.client.core.FastReads;
import io.lampone.client.core.Housekeeper;
import io.lampone.client.core.IntentResolver;
import io.lampone.client.core.OneRegionCommitter;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.OperationFates;
import io.lampone.client.core.OperationNames;
import io.lampone.client.core.Session;
import io.lampone.client.core.StatusQuery;
import io.lampone.client.core.Timer;
import io.lampone.client.core.TransactionLimits;
import io.lampone.client.core.TransactionStore;
import io.lampone.protocol.tm.TransactionManager;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** What one client is made of: the real core over simulated ports. */
record ClientParts(
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

  static ClientParts make(
      Machine client, TransactionManager plainManager, RegionCalls calls, Parts parts) {
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
    Housekeeper housekeeper = new Housekeeper(store, HOUSEKEEPING, timer);
    TransactionStore met = hasRights(client) ? store : new ReaderWithoutRights(store);
    IntentResolver resolver = new IntentResolver(met, manager, housekeeper);
    FastPathWrites.Waits waits = new FastPathWrites.Waits(client.clock(), timer, chance);
    OperationFates fates = new OperationFates(fastStore, session, client.clock(), timer, chance);
    OpenTransaction.Services services =
        new OpenTransaction.Services(
            store,
            resolver,
            new CommitProtocol(store, manager, client.clock(), timer, chance),
            housekeeper,
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
    return new ClientParts(
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
  private static boolean hasRights(Machine client) {
    return Math.floorMod(client.name().hashCode(), 3) != 0;
  }
}
