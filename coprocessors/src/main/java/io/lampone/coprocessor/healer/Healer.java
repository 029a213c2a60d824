package io.lampone.coprocessor.healer;

import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.fence.Fences;
import io.lampone.coprocessor.core.fence.TransactionStatusSource;
import io.lampone.coprocessor.core.healing.FollowerSearch;
import io.lampone.coprocessor.core.healing.HealingStore;
import io.lampone.coprocessor.core.healing.Settlement;
import io.lampone.coprocessor.core.healing.Settlement.Result;
import io.lampone.coprocessor.core.healing.TransactionBackoff;
import io.lampone.hbase.HadoopTickets;
import io.lampone.hbase.RefusalException;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.RareLine;
import io.lampone.protocol.trust.KeyRing;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.regionserver.Region;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settles what dead clients have left in the regions of one server (protocol page, section 7): on a
 * dedicated thread, through dedicated connections, one request at a time, within rate limits. No
 * handler ever waits for it, and it waits for handlers of this server only as a client does.
 *
 * <p>It persists nothing: after a restart, or when a region has moved, it starts again. Any
 * failure, of HBase, ZooKeeper or the transaction manager, is left for the next pass. Readers and
 * writers do the same work; the healer saves them that work, and covers data that is never read.
 */
public final class Healer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Healer.class);

  private static final long SHORTEST_PAUSE_MILLIS = 10;

  /**
   * Maximum factor by which consecutive failed passes extend the pause. It is small because a
   * single region may cause the failures, and the same passes find the others' intents.
   */
  private static final int LONGEST_BACKOFF = 4;

  /** Maximum number of remembered transactions that could not be settled. */
  private static final int MAX_FAILURES = 100_000;

  private final HealerSettings settings;
  private final Fences fences;
  private final LocalVersionClock versions;
  private final Clock clock;
  private final Parts parts;
  private final SearchThread searches;
  private final Settlement settlement;
  private final Resolver resolver;
  private final HealerCounts counts;

  /** Transactions that could not be settled; used by the healer's thread only. */
  private final TransactionBackoff failures;

  private final RareLine problemLine;
  private final RareLine errorLine;
  private final RateLimiter cells;
  private final RateLimiter transactions;
  private final Thread thread;

  /**
   * Regions by encoded name. Added and removed by threads that open and close regions; the healer's
   * thread removes closed ones that were not reported.
   */
  private final ConcurrentMap<String, HealedRegion> regions = new ConcurrentHashMap<>();

  /** Guarded by this. */
  private boolean closed;

  /**
   * Connections of the healer; closed with it.
   *
   * @param searched used by searches for followers
   */
  record Parts(
      HealingStore store,
      TransactionStatusSource manager,
      HealingStore searched,
      AutoCloseable... resources) {}

  Healer(
      HealerSettings settings,
      Fences fences,
      LocalVersionClock versions,
      Clock clock,
      Parts parts,
      Settlement forReaders,
      HealerCounts counts) {
    this.settings = settings;
    this.fences = fences;
    this.versions = versions;
    this.clock = clock;
    this.parts = parts;
    this.counts = counts;
    FollowerSearch search = new FollowerSearch(parts.searched(), clock);
    this.searches = new SearchThread(search, counts);
    this.settlement = new Settlement(parts.store(), parts.manager(), search, clock);
    this.resolver = new Resolver(forReaders, this::over, clock);
    this.failures = new TransactionBackoff(clock, MAX_FAILURES);
    this.problemLine = new RareLine(clock);
    this.errorLine = new RareLine(clock);
    this.cells = new RateLimiter(clock, settings.cellsPerSecond());
    this.transactions = new RateLimiter(clock, settings.transactionsPerSecond());
    this.thread = new Thread(this::run, "lampone-healer");
    thread.setDaemon(true);
  }

  /**
   * Starts the healer of a server; it connects when it has found something.
   *
   * @param server name for JMX
   */
  public static Healer start(
      Configuration configuration,
      String server,
      Fences fences,
      LocalVersionClock versions,
      KeyRing ring,
      Clock clock) {
    // Separate ones: work for readers and searches must not end the connections of a pass.
    HBaseHealingStore store = new HBaseHealingStore(configuration, fences::floor, ring, clock);
    HBaseHealingStore reached = new HBaseHealingStore(configuration, fences::floor, ring, clock);
    HBaseHealingStore searched = new HBaseHealingStore(configuration, fences::floor, ring, clock);
    StatusConnection manager = manager(configuration, fences, clock);
    StatusConnection asked = manager(configuration, fences, clock);
    HealerCounts counts = HealerCounts.register(server);
    Healer healer =
        new Healer(
            HealerSettings.orDefault(configuration),
            fences,
            versions,
            clock,
            new Parts(store, manager, searched, store, manager, searched, reached, asked, counts),
            new Settlement(reached, asked, new FollowerSearch(reached, clock), clock),
            counts);
    if (healer.settings.enabled()) {
      healer.start();
    }
    return healer;
  }

  /** Returns the resolver, which works for readers even if the healer is disabled. */
  public Resolver resolver() {
    return resolver;
  }

  /** Returns the number of transactions that the last pass has left. */
  public long unsettled() {
    return counts.getUnsettled();
  }

  private static StatusConnection manager(Configuration configuration, Fences fences, Clock clock) {
    return new StatusConnection(
        fences::manager, () -> HadoopTickets.security(configuration), clock);
  }

  /** Starts passes over the regions, until closed. */
  void start() {
    thread.start();
  }

  /**
   * Adds a region that has opened.
   *
   * @param transactional called in each pass; an exception counts as that region's failure
   */
  public void opened(Region region, BooleanSupplier transactional) {
    if (!settings.enabled()) {
      return; // no pass would ever remove it
    }
    regions.put(
        region.getRegionInfo().getEncodedName(),
        new HealedRegion(region, transactional, clock.monotonicNanos()));
  }

  /** Removes a region for the opening that has ended, not for a later one. */
  public void closed(Region region) {
    regions.computeIfPresent(
        region.getRegionInfo().getEncodedName(),
        (name, healed) -> healed.region() == region ? null : healed);
  }

  /** Returns the number of regions to check. */
  int openRegions() {
    return regions.size();
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    thread.interrupt();
    resolver.close();
    for (AutoCloseable resource : parts.resources()) {
      try {
        resource.close();
      } catch (Exception e) { // declared by AutoCloseable
        LOG.warn("A part of the healer was not closed properly", e);
      }
    }
  }

  private void run() {
    int failedPasses = 0;
    try {
      while (await(settings.period().toMillis() * Math.max(1, failedPasses))) {
        failedPasses =
            passAllOrFail() ? 0 : Math.min(LONGEST_BACKOFF, Math.max(1, failedPasses * 2));
      }
    } catch (InterruptedException e) {
      LOG.debug("Healer stopped", e);
    }
  }

  /**
   * Runs a pass over all regions and reports its failure; the JVM's own actions on exhausted memory
   * happen at the throw, not here.
   */
  private boolean passAllOrFail() throws InterruptedException {
    try {
      return passAll();
    } catch (RuntimeException | Error e) {
      if (isOpen()) {
        counts.failed("pass cause=" + e);
        errorLine
            .happened()
            .ifPresent(
                times ->
                    LOG.error(
                        "A pass of the healer has failed, the next one follows, times={}",
                        times,
                        e));
      }
      return false;
    }
  }

  /** Makes one pass over all regions; returns true if nothing has failed. */
  boolean passAll() throws InterruptedException {
    boolean good = true;
    PassTally total = new PassTally();
    for (HealedRegion healed : regions.values()) {
      if (healed.isClosed()) {
        regions.remove(healed.name(), healed);
        continue;
      }
      try {
        if (!healed.isTransactional()) {
          continue;
        }
        good &= pass(healed);
      } catch (RuntimeException e) {
        // E.g. unreadable settings of one table, which must not delay the regions of others.
        failed("region=" + healed.name(), e);
        good = false;
      }
      total.add(healed.last());
    }
    long age = total.ageNanos(Timestamps.tick(versions.current()));
    counts.passEnded(TimeUnit.NANOSECONDS.toMillis(age), total);
    searches.startIfDue();
    return good;
  }

  private boolean pass(HealedRegion healed) throws InterruptedException {
    long beganNanos = clock.monotonicNanos();
    long from = healed.passBegins(fences.collectableBelow(), beganNanos);
    // Not the wall clock: the age of an intent is measured by the clock of its timestamp.
    long to = Timestamps.tick(versions.current()) - settings.delay().toNanos();
    RegionPass pass = new RegionPass(healed.region(), from, Math.max(from, to));
    PassTally tally = new PassTally();
    try {
      while (!pass.isDone() && isOpen()) {
        for (OrphanedTransaction orphan : pass.readPart()) {
          if (failures.isDue(orphan.id().startTimestamp())) {
            settle(pass, orphan, tally);
            pause(transactions.done(1));
          } else {
            tally.leave(orphan.id().startTimestamp());
          }
        }
        counts.read(pass.cells());
        tally.count(pass);
        tellProblem(healed, pass);
        pause(cells.done(pass.cells()));
      }
    } catch (IOException | RuntimeException e) {
      // The region has moved, or is being closed: its new server starts again.
      if (!healed.isClosed() && isOpen()) {
        failed("region=" + healed.name(), e);
      }
      return healed.isClosed();
    }
    healed.passEnded(beganNanos, tally);
    return tally.failed() == 0;
  }

  private void tellProblem(HealedRegion healed, RegionPass pass) {
    if (!pass.lastProblem().isEmpty()) {
      problemLine
          .happened()
          .ifPresent(
              times ->
                  LOG.warn(
                      "A transaction cell cannot be used: requests for its row are refused, and"
                          + " everything else goes on; lampone doctor lists them, region={} {}"
                          + " times={}",
                      healed.name(),
                      pass.lastProblem(),
                      times));
    }
  }

  private void settle(RegionPass pass, OrphanedTransaction orphan, PassTally tally)
      throws InterruptedException {
    long start = orphan.id().startTimestamp();
    try {
      Optional<TransactionCell> leader = orphan.leader();
      if (leader.filter(Healer::listsFollowers).isPresent()) {
        leader = pass.leader(orphan.id()); // with its list; only one is held at a time
      }
      Result result = settlement.settle(orphan.id(), orphan.followers(), leader, over());
      failures.ended(start);
      switch (result) {
        case SETTLED -> counts.settled(1);
        case LEFT -> tally.leave(start);
        case UNLISTED -> tally.leaveUnlisted(start);
      }
    } catch (IOException | RuntimeException e) {
      if (Thread.interrupted()) {
        throw (InterruptedException) new InterruptedException().initCause(e);
      }
      // No failure may keep the healer from the transactions behind it.
      if (e instanceof RuntimeException || isCorrupt(e)) {
        failures.failed(start); // not a temporary failure that the next pass may not meet
      }
      tally.fail(start);
      failed("transaction=" + orphan.id(), e);
    }
  }

  /** Returns true if the leader cannot be read, or shows no proof of its commit. */
  private static boolean isCorrupt(Exception failure) {
    return RefusalException.in(failure)
        .filter(refusal -> refusal.code() == Refusal.Code.CORRUPT)
        .isPresent();
  }

  private long over() {
    return Math.max(fences.floor(), fences.collectableBelow());
  }

  private static boolean listsFollowers(TransactionCell leader) {
    return leader.state() == TransactionState.COMMITTED && leader.followersComplete();
  }

  private void failed(String what, Exception e) {
    counts.failed(what + " cause=" + e);
    LOG.debug("Not healed, left for the next pass, {}", what, e);
  }

  private void pause(long nanos) throws InterruptedException {
    if (nanos > 0) {
      await(Math.max(SHORTEST_PAUSE_MILLIS, TimeUnit.NANOSECONDS.toMillis(nanos)));
    }
  }

  /** Waits; returns false if the healer has been closed. */
  private synchronized boolean await(long millis) throws InterruptedException {
    long end = clock.monotonicNanos() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (!closed) {
      long left = end - clock.monotonicNanos();
      if (left <= 0) {
        return true;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return false;
  }

  private synchronized boolean isOpen() {
    return !closed;
  }
}
