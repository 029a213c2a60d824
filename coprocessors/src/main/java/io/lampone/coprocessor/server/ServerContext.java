package io.lampone.coprocessor.server;

import io.lampone.coprocessor.ObservedRegion;
import io.lampone.coprocessor.OpenRegion;
import io.lampone.coprocessor.core.RegionServerSettings;
import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.clock.TimestampBatches;
import io.lampone.coprocessor.core.fastpath.FencedAttempts;
import io.lampone.coprocessor.core.fence.Fences;
import io.lampone.coprocessor.core.fence.ManagerRecordSource;
import io.lampone.coprocessor.core.fence.OwnSession;
import io.lampone.coprocessor.core.fence.ProofCheck;
import io.lampone.coprocessor.core.fence.RegionReadiness;
import io.lampone.coprocessor.core.fence.SessionProof;
import io.lampone.coprocessor.core.fence.TableGeneration;
import io.lampone.coprocessor.core.intent.KnownRows;
import io.lampone.coprocessor.core.intent.SettledRows;
import io.lampone.coprocessor.healer.Healer;
import io.lampone.coprocessor.jmx.JmxBean;
import io.lampone.coprocessor.jmx.RegionServerCounts;
import io.lampone.hbase.HadoopTickets;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.connect.SecurityFiles;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.tm.ServerReport;
import io.lampone.protocol.trust.ClusterKey;
import io.lampone.protocol.trust.KeyRing;
import io.lampone.protocol.trust.Proofs;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.security.User;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * State shared by all regions of one server. It is in HBase's shared data, which HBase keeps per
 * class, and only as long as it is referenced; the timer of this context does that (E10). It ends
 * with the server and outlives the last region, so the local version clock does not forget.
 *
 * <p>HBase's shared data is one map per process, however many servers run in it. So the key names
 * the server: each has its own session to prove and its own knowledge.
 */
public final class ServerContext {

  private static final Logger LOG = LoggerFactory.getLogger(ServerContext.class);

  private static final String KEY_PREFIX = "lampone.server/";

  /** One more than HBase's default number of threads that open regions. */
  private static final int LEARNERS = 4;

  private static final long SHORTEST_PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final String key;
  private final ConcurrentMap<String, Object> shared;
  private final RegionServerServices services;
  private final Fences fences;
  private final SessionProof session;
  private final OwnSession ownSession;
  private final LocalVersionClock clock;
  private final SettledRows settledRows = new SettledRows();
  private final KnownRows knownRows = new KnownRows();
  private final TimestampBatches ticks;
  private final TimestampPrefetcher timestampPrefetcher;
  private final ProofCheck proofs;
  private final RefusalAudit audit = new RefusalAudit(SystemClock.INSTANCE);
  private final RegionServerCounts counts;
  private final JmxBean bean;

  /** Proofs for this server's statements to other servers. */
  private final Proofs statements;

  private final Healer healer;
  private final ScheduledExecutorService timer;

  /** Runs look-ups of table generations, which wait for HBase and ZooKeeper. */
  private final ExecutorService learner;

  /**
   * Fenced attempts by encoded name of the region, open here now or earlier. Kept as long as the
   * server: an empty entry takes about two hundred bytes.
   */
  private final ConcurrentMap<String, FencedAttempts> fencedAttempts = new ConcurrentHashMap<>();

  /** Regions by encoded name, as long as an observer refers to them. Guarded by this context. */
  private final Map<String, WeakReference<ObservedRegion>> observed = new HashMap<>();

  private ServerContext(
      String key,
      ConcurrentMap<String, Object> shared,
      RegionServerServices services,
      ManagerRecordSource node,
      LocalVersionClock clock) {
    this.key = key;
    this.shared = shared;
    this.services = services;
    this.fences = new Fences(node, SystemClock.INSTANCE);
    this.ownSession = new ZooKeeperOwnSession(services.getZooKeeper(), services.getServerName());
    this.session = new SessionProof(SystemClock.INSTANCE, ownSession);
    this.clock = clock;
    this.ticks = new TimestampBatches(clock, fences);
    this.timestampPrefetcher =
        new TimestampPrefetcher(
            ticks,
            clock,
            fences,
            () -> HadoopTickets.security(services.getConfiguration()),
            this::report,
            SystemClock.INSTANCE);
    KeyRing ring = keyRing(services.getConfiguration());
    this.statements = new Proofs(ring);
    this.proofs =
        new ProofCheck(
            ring,
            abortableAge(services.getConfiguration()),
            checksUsers(),
            timestampPrefetcher::learn,
            SystemClock.INSTANCE);
    this.healer =
        Healer.start(
            services.getConfiguration(),
            services.getServerName().toString(),
            fences,
            clock,
            ring,
            SystemClock.INSTANCE);
    this.counts = new RegionServerCounts(proofs::intentsMet, state(SystemClock.INSTANCE));
    this.bean = JmxBean.register(counts, "RegionServer", services.getServerName().toString());
    this.timer = Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "session"));
    this.learner = Executors.newFixedThreadPool(LEARNERS, task -> daemon(task, "tables"));
    node.onChange(fences::refresh);
  }

  private ServerReport report() {
    return counts.report(services.getServerName().getAddress().toString());
  }

  /** Returns what the server reports of its state, by name. */
  private Map<String, LongSupplier> state(Clock wall) {
    return Map.of(
        "epoch",
        () -> fences.manager().map(ManagerRecord::epoch).orElse(0L),
        "clockLagMillis",
        () -> lagMillis(clock.current(), wall),
        "safePointLagMillis",
        () -> lagMillis(fences.safePoint(), wall),
        "openRegions",
        this::openRegions,
        "rememberedRows",
        () -> (long) knownRows.size() + settledRows.size(),
        "fencedOperations",
        () -> fencedAttempts.values().stream().mapToLong(FencedAttempts::size).sum(),
        "unsettled",
        healer::unsettled);
  }

  private static long lagMillis(long timestamp, Clock wall) {
    return timestamp == 0 ? -1 : wall.wallMillis() - Timestamps.toInstant(timestamp).toEpochMilli();
  }

  private synchronized long openRegions() {
    return observed.values().stream().filter(each -> each.get() != null).count();
  }

  /**
   * Returns the keys of the transaction managers: the public ones without a file, and none with an
   * unusable file, so that no request on behalf of a transaction is executed.
   */
  private static KeyRing keyRing(Configuration configuration) {
    try {
      Optional<Path> file = RegionServerSettings.CLUSTER_KEY_FILE.read(configuration::getTrimmed);
      return file.isPresent() ? SecurityFiles.clusterKey(file.get()) : ClusterKey.OPEN;
    } catch (IOException | IllegalArgumentException e) {
      LOG.error(
          "No cluster key: writes of transactions are refused until this region server is"
              + " restarted with a usable {}",
          RegionServerSettings.CLUSTER_KEY_FILE,
          e);
      return term -> Optional.empty();
    }
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, "lampone-" + name);
    thread.setDaemon(true);
    return thread;
  }

  private static Duration abortableAge(Configuration configuration) {
    try {
      return RegionServerSettings.ABORTABLE_AGE.read(configuration::getTrimmed);
    } catch (IllegalArgumentException e) {
      LOG.error(
          "The default holds: correct the property and restart the region server, default={}",
          RegionServerSettings.ABORTABLE_AGE.defaultValue(),
          e);
      return RegionServerSettings.ABORTABLE_AGE.defaultValue();
    }
  }

  /**
   * Returns the context of the server.
   *
   * @param clock creates the server's clock, for its first region
   */
  public static ServerContext of(
      ConcurrentMap<String, Object> shared,
      RegionServerServices services,
      Supplier<LocalVersionClock> clock) {
    return of(shared, services, () -> new ZooKeeperRecordSource(services.getZooKeeper()), clock);
  }

  /**
   * Returns the context of the server.
   *
   * @param node creates the source of the transaction manager's record; tests have their own
   */
  static ServerContext of(
      ConcurrentMap<String, Object> shared,
      RegionServerServices services,
      Supplier<ManagerRecordSource> node,
      Supplier<LocalVersionClock> clock) {
    return (ServerContext)
        shared.computeIfAbsent(
            KEY_PREFIX + services.getServerName(),
            key -> begin(new ServerContext(key, shared, services, node.get(), clock.get())));
  }

  public Fences fences() {
    return fences;
  }

  public SessionProof session() {
    return session;
  }

  public LocalVersionClock clock() {
    return clock;
  }

  public SettledRows settledRows() {
    return settledRows;
  }

  public KnownRows knownRows() {
    return knownRows;
  }

  public ProofCheck proofs() {
    return proofs;
  }

  /** Returns the audit log of refused requests. */
  public RefusalAudit audit() {
    return audit;
  }

  /** Returns the counts of what this server has done. */
  public RegionServerCounts counts() {
    return counts;
  }

  public TimestampBatches ticks() {
    return ticks;
  }

  /** Returns the healer, which settles transactions of dead clients. */
  public Healer healer() {
    return healer;
  }

  /** Returns the fenced attempts of a region, from this opening or an earlier one. */
  public FencedAttempts fencedAttempts(String encodedRegionName) {
    return fencedAttempts.computeIfAbsent(
        encodedRegionName, name -> new FencedAttempts(SystemClock.INSTANCE));
  }

  /**
   * Returns the region of an observer. HBase may reload the observers of an open region when the
   * server's configuration changes, even during an operation: the new ones must know what the old
   * ones have admitted.
   */
  public synchronized ObservedRegion observed(RegionCoprocessorEnvironment environment) {
    String name = environment.getRegionInfo().getEncodedName();
    WeakReference<ObservedRegion> last = observed.get(name);
    ObservedRegion known = last == null ? null : last.get();
    if (known == null || known.open().region() != environment.getRegion()) {
      known = ObservedRegion.of(new OpenRegion(environment, this), checksUsers());
      observed.put(name, new WeakReference<>(known));
    }
    return known;
  }

  /** Returns the generation of a table, for a region that has just opened. */
  public GenerationLearner generation(TableName table, RegionReadiness gate) {
    HBaseTableGeneration store =
        new HBaseTableGeneration(
            table, services.getConnection(), services.getZooKeeper(), statements);
    return new GenerationLearner(table, new TableGeneration(store, gate), ticks, learner);
  }

  /** Returns true if HBase checks permissions. */
  public boolean checksUsers() {
    return services
        .getConfiguration()
        .getBoolean(User.HBASE_SECURITY_AUTHORIZATION_CONF_KEY, false);
  }

  /** Fetches ticks at once, for a region that waits for them. */
  public void hurryTicks() {
    timestampPrefetcher.hurry();
  }

  private static ServerContext begin(ServerContext context) {
    context.clock.onNeed(context.timestampPrefetcher::hurry);
    context.timestampPrefetcher.start();
    // On the timer's thread: the map must not be changed while it computes this entry.
    context.timer.execute(context::tick);
    return context;
  }

  private void tick() {
    if (services.isStopped()) {
      timestampPrefetcher.close();
      healer.close();
      bean.close();
      timer.shutdownNow();
      learner.shutdownNow();
      shared.remove(key, this);
      return;
    }
    fencedAttempts.values().forEach(FencedAttempts::age);
    session.probe();
    fences.retry();
    // The timeout is renegotiated when the client reconnects.
    long periodNanos = ownSession.timeoutNanos() / SessionProof.PROBES_PER_TIMEOUT;
    timer.schedule(this::tick, Math.max(SHORTEST_PERIOD_NANOS, periodNanos), TimeUnit.NANOSECONDS);
  }
}
