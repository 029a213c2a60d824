package io.lampone.client;

import io.lampone.client.LamponeException.Code;
import io.lampone.client.core.BlockerResolver;
import io.lampone.client.core.CommitProtocol;
import io.lampone.client.core.FastPathWrites;
import io.lampone.client.core.IntentResolver;
import io.lampone.client.core.OneRegionCommitter;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.OperationNames;
import io.lampone.client.core.OperationStatusLookup;
import io.lampone.client.core.PostCommit;
import io.lampone.client.core.Session;
import io.lampone.client.core.TransactionLimits;
import io.lampone.client.core.TransactionManagerPort;
import io.lampone.client.core.hold.HoldKeeper;
import io.lampone.client.core.progress.ProgressReporter;
import io.lampone.client.core.slow.HotRows;
import io.lampone.client.core.slow.SlowTransactionLog;
import io.lampone.client.core.slow.TransactionMetrics;
import io.lampone.client.core.slow.TransactionTrace;
import io.lampone.client.core.status.StatusQuery;
import io.lampone.client.core.vote.Reserver;
import io.lampone.client.driver.Driver;
import io.lampone.client.driver.MeteredTransactionManager;
import io.lampone.client.driver.SnapshotHoldCalls;
import io.lampone.client.driver.TransactionManagerCalls;
import io.lampone.client.hbase.FastPathParts;
import io.lampone.client.hbase.HBaseFastPathStore;
import io.lampone.client.hbase.HBaseStore;
import io.lampone.client.hbase.HBaseTransaction;
import io.lampone.client.hbase.TableCache;
import io.lampone.client.hbase.WriteTranslator;
import io.lampone.client.hbase.admin.TableAdministrator;
import io.lampone.client.hbase.line.RegionServerConnectionPool;
import io.lampone.client.hbase.transport.AsyncRegionTransport;
import io.lampone.client.hbase.transport.BlockingRegionTransport;
import io.lampone.client.hbase.transport.MetricsBean;
import io.lampone.client.hbase.transport.RegionTransport;
import io.lampone.client.hbase.transport.ScheduledTimer;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.client.hbase.transport.StoreMetrics;
import io.lampone.client.hbase.transport.StoreSettings;
import io.lampone.hbase.HadoopTickets;
import io.lampone.hbase.HadoopTokens;
import io.lampone.protocol.time.Backoff;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.protocol.wire.Priority;
import io.lampone.tmclient.ClientProperties;
import io.lampone.tmclient.HoldClient;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import io.lampone.tmclient.discovery.ZooKeeperAddressSource;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates the parts of a client that connects to a real cluster. */
final class ClientFactory {

  /** Logger of slow transactions, for lines of JSON. */
  private static final Logger SLOW = LoggerFactory.getLogger("io.lampone.slow");

  private static final int MAX_USER_LENGTH = 32;
  private static final int DEFAULT_MAX_CELL_BYTES = 10 << 20;

  /** Interval between checks for unused connections to region servers. */
  private static final Duration LINES_SWEEP = Duration.ofSeconds(30);

  private static final String MAX_CELL_BYTES = "hbase.client.keyvalue.maxsize";

  private ClientFactory() {}

  static ClientParts connect(Configuration configuration) throws IOException {
    LamponeClientConfig config;
    ManagerParts manager;
    try {
      config = LamponeClientConfig.from(configuration);
      manager = connectManager(configuration, config);
    } catch (IllegalArgumentException e) {
      throw new LamponeException(Code.BAD_REQUEST, 0, String.valueOf(e.getMessage()), e);
    }
    AsyncConnection connection;
    RegionTransport transport;
    RegionServerConnectionPool lines;
    StoreMetrics metrics =
        new StoreMetrics(
            new TransactionMetrics(new HotRows(config.reportRows()), config.metrics()));
    try {
      Configuration bounded = bounded(configuration, config);
      lines =
          new RegionServerConnectionPool(
              bounded, config.serverLines(), metrics.lineCalls(), SystemClock.INSTANCE);
      connection = connectHBase(bounded, config);
      transport =
          new BlockingRegionTransport(
              new AsyncRegionTransport(connection, settings(config), SystemClock.INSTANCE),
              settings(config),
              SystemClock.INSTANCE,
              connection,
              bounded,
              lines);
    } catch (IOException | RuntimeException e) {
      manager.client().close();
      manager.source().close();
      throw e;
    }
    ScheduledTimer timer = new ScheduledTimer();
    HoldKeeper keeper =
        new HoldKeeper(new SnapshotHoldCalls(manager.holds()), SystemClock.INSTANCE);
    Driver driver = new Driver(timer, SystemClock.INSTANCE);
    repeat(keeper::pause, () -> driver.start(keeper.sweep()), timer);
    repeat(() -> LINES_SWEEP, lines::closeIdle, timer);
    ClientParts parts =
        assemble(
            config,
            connection,
            manager.client(),
            driver,
            new Extras(
                configuration.getInt(MAX_CELL_BYTES, DEFAULT_MAX_CELL_BYTES),
                keeper,
                transport,
                metrics),
            List.of(
                manager.client(), manager.holds(), manager.source(), transport, connection, timer));
    ProgressReporter progress = parts.progress();
    repeat(progress::pause, () -> driver.start(progress.report()), timer);
    Reserver reserver = parts.services().reserver();
    if (reserver != Reserver.NONE) {
      repeat(() -> Reserver.PERIOD, () -> driver.start(reserver.send()), timer);
    }
    return parts;
  }

  /** Parts that discover and call the transaction manager. */
  private record ManagerParts(
      TransactionManagerClient client, HoldClient holds, ZooKeeperAddressSource source) {}

  /** Remaining parts of a client. */
  private record Extras(
      int maxCellBytes, HoldKeeper holds, RegionTransport transport, StoreMetrics metrics) {}

  /** Opens no connection, only reads files: each part connects on its first request. */
  private static ManagerParts connectManager(
      Configuration configuration, LamponeClientConfig config) {
    TransactionManagerClientConfig settings =
        ClientProperties.read(configuration::getTrimmed)
            .security(HadoopTickets.security(configuration))
            .requestTimeout(config.managerTimeout())
            .build();
    ZooKeeperAddressSource source =
        ZooKeeperAddressSource.connect(
            HadoopTokens.zookeeperQuorum(configuration), config.zookeeperParent());
    try {
      return new ManagerParts(
          TransactionManagerClient.create(settings, source),
          new HoldClient(settings, source, holdOwner()),
          source);
    } catch (RuntimeException e) {
      source.close();
      throw e;
    }
  }

  /** Returns the name of the owner of holds, which lets an administrator find this process. */
  private static String holdOwner() {
    String user = System.getProperty("user.name", "").replaceAll("[^A-Za-z0-9._-]", "_");
    String shortUser = user.substring(0, Math.min(user.length(), MAX_USER_LENGTH));
    return shortUser
        + "@pid-"
        + ProcessHandle.current().pid()
        + "-"
        + Integer.toHexString(new SecureRandom().nextInt());
  }

  /** Repeats the task until the timer is closed. */
  private static void repeat(Supplier<Duration> pause, Runnable task, ScheduledTimer timer) {
    timer
        .after(pause.get())
        .thenRun(
            () -> {
              task.run();
              repeat(pause, task, timer);
            });
  }

  private static ClientParts assemble(
      LamponeClientConfig config,
      AsyncConnection connection,
      TransactionManager uncounted,
      Driver driver,
      Extras extras,
      List<AutoCloseable> resources) {
    Clock clock = SystemClock.INSTANCE;
    RandomGenerator random = new Random();
    StoreMetrics metrics = extras.metrics();
    TransactionManager manager =
        new MeteredTransactionManager(uncounted, metrics.managerRequests());
    StoreAccess access =
        new StoreAccess(connection, extras.transport(), settings(config), driver, random, metrics);
    HBaseStore store = new HBaseStore(access);
    PostCommit postCommit = new PostCommit(store, config.housekeepingLimit());
    TableCache tables = new TableCache(connection, clock, config.tableCacheExpiry());
    IntentResolver resolver =
        new IntentResolver(
            store,
            new TransactionManagerCalls(manager.withPriority(Priority.SYSTEM)),
            postCommit,
            config.contactPatience(),
            config.operationTimeout());
    HBaseFastPathStore fastStore = new HBaseFastPathStore(access, tables);
    TransactionManagerPort port = new TransactionManagerCalls(manager);
    ProgressReporter progress = reporter(manager, extras);
    FastPathParts fastPath = fastPath(config, access, store, fastStore, resolver, port);
    CommitProtocol protocol = new CommitProtocol(store, port, random, progress);
    OpenTransaction.Services services =
        new OpenTransaction.Services(
            store,
            resolver,
            protocol,
            postCommit,
            clock,
            limits(config),
            fastPath.session(),
            new OneRegionCommitter(
                fastStore,
                fastPath.fates(),
                fastPath.session(),
                random,
                new OneRegionCommitter.Limits(config.requestRows(), config.requestBytes())),
            TransactionTrace.NONE,
            config.conflictsEarly()
                ? new Reserver(
                    new TransactionManagerCalls(uncounted), protocol::map, protocol::refreshMap)
                : Reserver.NONE);
    return new ClientParts(
        config,
        manager,
        services,
        new HBaseTransaction.Context(
            access,
            tables,
            new WriteTranslator(extras.maxCellBytes()),
            extras.holds(),
            new SlowTransactionLog(config.slowTransaction(), SLOW::info),
            config.scanBufferBytes()),
        fastPath,
        postCommit,
        new StatusQuery(store, port, fastPath.fates()),
        progress,
        new TableAdministrator(access, tables, manager, services),
        metrics,
        driver.timer(),
        clock,
        random,
        new Backoff(config.retryPause(), config.retryPauseCap()),
        config.metrics() ? withBean(postCommit, metrics, resources) : resources);
  }

  /** Shows the metrics in JMX until the client is closed. */
  private static List<AutoCloseable> withBean(
      PostCommit postCommit, StoreMetrics metrics, List<AutoCloseable> resources) {
    List<AutoCloseable> all = new ArrayList<>(resources);
    all.add(
        MetricsBean.register(() -> metrics.snapshot(postCommit.dropped(), postCommit.failed())));
    return all;
  }

  private static ProgressReporter reporter(TransactionManager manager, Extras extras) {
    return new ProgressReporter(
        new TransactionManagerCalls(manager),
        () -> extras.holds().olderThan(ProgressReporter.LISTING_PERIOD),
        extras.metrics().transactions().hotRows()::list,
        extras.metrics().transactions()::work);
  }

  private static TransactionLimits limits(LamponeClientConfig config) {
    return new TransactionLimits(
        config.bufferBytes(),
        config.transactionCells(),
        config.recordedFollowers(),
        config.readSetRows(),
        config.readSetRanges());
  }

  private static FastPathParts fastPath(
      LamponeClientConfig config,
      StoreAccess access,
      HBaseStore store,
      HBaseFastPathStore fastStore,
      IntentResolver resolver,
      TransactionManagerPort manager) {
    Session session = new Session();
    OperationStatusLookup fates = new OperationStatusLookup(fastStore, session, access.random());
    return new FastPathParts(
        session,
        new OperationNames(clientNumber()),
        new FastPathWrites(
            fastStore,
            new BlockerResolver(store, manager),
            fates,
            session,
            access.random(),
            config.fastPathPatience()),
        fates,
        resolver,
        manager,
        access.clock(),
        config.operationTimeout());
  }

  /** Random: clients with equal numbers would mistake each other's operations for their own. */
  private static long clientNumber() {
    SecureRandom random = new SecureRandom();
    long number = 0;
    while (number == 0) {
      number = random.nextLong();
    }
    return number;
  }

  private static StoreSettings settings(LamponeClientConfig config) {
    return new StoreSettings(
        config.operationTimeout(), config.requestBytes(), config.requestRows());
  }

  /** Bounds look-ups of regions and descriptors like operations; calls set their own timeouts. */
  private static Configuration bounded(Configuration configuration, LamponeClientConfig config) {
    Configuration copy = new Configuration(configuration);
    long operation = config.operationTimeout().toMillis();
    copy.setLong(HConstants.HBASE_CLIENT_OPERATION_TIMEOUT, operation);
    copy.setLong(HConstants.HBASE_CLIENT_META_OPERATION_TIMEOUT, operation);
    return copy;
  }

  private static AsyncConnection connectHBase(
      Configuration configuration, LamponeClientConfig config) throws IOException {
    CompletableFuture<AsyncConnection> connecting =
        ConnectionFactory.createAsyncConnection(configuration);
    try {
      return connecting.get(config.connectTimeout().toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      closeLate(connecting);
      throw (IOException) new InterruptedIOException("interrupted while connecting").initCause(e);
    } catch (TimeoutException | ExecutionException e) {
      closeLate(connecting);
      throw new LamponeException(
          Code.STORE_UNAVAILABLE,
          0,
          "cannot connect to HBase: is it running, and is hbase-site.xml on the class path,"
              + " zookeeper="
              + HadoopTokens.zookeeperQuorum(configuration)
              + " cause="
              + e,
          e);
    }
  }

  /** Closes a connection that is established too late to be used. */
  private static void closeLate(CompletableFuture<AsyncConnection> connecting) {
    connecting.thenAccept(
        connection -> {
          try {
            connection.close();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }
}
