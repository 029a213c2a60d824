package io.lampone.coprocessor;

import io.lampone.coprocessor.collection.CollectingScanner;
import io.lampone.coprocessor.core.RegionServerSettings;
import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.clock.RecentVersions;
import io.lampone.coprocessor.core.clock.TimestampBatches;
import io.lampone.coprocessor.core.fastpath.FastAttempt;
import io.lampone.coprocessor.core.fastpath.FastRegion;
import io.lampone.coprocessor.core.fence.ReadAdmission;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.fence.RegionFence;
import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.coprocessor.core.fence.RegionReadiness;
import io.lampone.coprocessor.core.fence.ServerGuards;
import io.lampone.coprocessor.core.intent.TableRules;
import io.lampone.coprocessor.row.HBaseRow;
import io.lampone.coprocessor.server.CoprocessorChain;
import io.lampone.coprocessor.server.GenerationLearner;
import io.lampone.coprocessor.server.ServerContext;
import io.lampone.hbase.TableRetention;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionRequest;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.Region;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One region with this observer: its environment, its table's settings, and its fences. */
public final class OpenRegion {

  private static final Logger LOG = LoggerFactory.getLogger(OpenRegion.class);

  /** Server property, for tests only: number of cells of a row that a compaction may hold back. */
  private static final String HELD_CELLS_KEY = "lampone.test.held-cells";

  private final RegionCoprocessorEnvironment environment;
  private final ServerContext server;

  private final FastRegion fast;
  private final FrozenFamilies committedFiles = new FrozenFamilies();
  private final long maxCellBytes;
  private final int maxHeldCells;
  private final Set<String> allowedServices;

  /** Set when the region has opened; null until then. Written once, under the lock. */
  private volatile @Nullable Opened opened;

  /** Settings from the newest descriptor seen; replaced as a whole. */
  private volatile @Nullable Parsed parsed;

  /** State that begins with the opening: everything in it was requested after it. */
  record Opened(
      RegionFence fence, RegionReadiness gate, RegionGuards guards, GenerationLearner generation) {}

  private record Parsed(TableDescriptor descriptor, Optional<TableSettings> settings) {}

  /** Retention of the table, from the newest descriptor seen; replaced as a whole. */
  private volatile @Nullable ParsedRetention parsedRetention;

  private record ParsedRetention(TableDescriptor descriptor, TableRetention retention) {}

  public OpenRegion(RegionCoprocessorEnvironment environment, ServerContext server) {
    this.environment = environment;
    this.server = server;
    this.fast =
        FastRegion.opened(
            server.clock(),
            server.settledRows(),
            server.knownRows(),
            server.fencedAttempts(environment.getRegionInfo().getEncodedName()),
            server.counts()::waited);
    this.maxCellBytes =
        environment
            .getConfiguration()
            .getLong(HRegion.HBASE_MAX_CELL_SIZE_KEY, HRegion.DEFAULT_MAX_CELL_SIZE);
    this.maxHeldCells =
        environment.getConfiguration().getInt(HELD_CELLS_KEY, CollectingScanner.MAX_HELD_CELLS);
    this.allowedServices = EndpointGuard.allowed(environment.getConfiguration());
  }

  /** Creates a region that has opened, for tests. */
  OpenRegion(RegionCoprocessorEnvironment environment, ServerContext server, Opened opened) {
    this(environment, server);
    this.opened = opened;
  }

  public Region region() {
    return environment.getRegion();
  }

  public String table() {
    return environment.getRegionInfo().getTable().getNameAsString();
  }

  public LocalVersionClock clock() {
    return server.clock();
  }

  /**
   * Returns a row.
   *
   * @param readPoint {@link HBaseRow#VISIBLE}, or under its lock {@link HBaseRow#STORED}
   */
  public HBaseRow row(Bytes key, long readPoint) {
    return new HBaseRow(region(), key, readPoint, retention());
  }

  /** Returns the files of this region that hold only values committed at birth. */
  public FrozenFamilies committedFiles() {
    return committedFiles;
  }

  /** Returns the server's limit for one cell, which HBase checks only on cells sent; 0 = none. */
  public long maxCellBytes() {
    return maxCellBytes;
  }

  /** Returns the maximum number of cells of a row that a compaction may hold back. */
  public int maxHeldCells() {
    return maxHeldCells;
  }

  /** Returns the settings of the table; empty if it is a plain one. */
  public Optional<TableSettings> settings() {
    TableDescriptor descriptor = region().getTableDescriptor();
    Parsed known = parsed;
    if (known == null || known.descriptor() != descriptor) {
      known = new Parsed(descriptor, TableSettings.of(descriptor));
      parsed = known;
    }
    return known.settings();
  }

  /** Returns the settings of the table for a transactional request. */
  public TableSettings requireTransactional() {
    if (environment.getRegionInfo().getReplicaId() != RegionInfo.DEFAULT_REPLICA_ID) {
      throw Refused.because(
          Refusal.Code.UNSUPPORTED, "region replicas lag behind: transactions cannot use them");
    }
    return settings()
        .orElseThrow(
            () ->
                Refused.because(
                    Refusal.Code.UNSUPPORTED,
                    "table is not transactional: enable it first, table=" + table()));
  }

  /** Refuses files for a transactional table: their versions are not checked. */
  void refuseBulkLoad() {
    if (settings().isPresent()) {
      throw Refused.because(
          Refusal.Code.PLAIN_CLIENT,
          "table is transactional, and conflicts with a bulk load cannot be detected: load into a"
              + " plain table and enable that one, or write in transactions, table="
              + table());
    }
  }

  /** Refuses another coprocessor's service on a transactional table unless it is allowed. */
  void refuseService(String service) {
    if (settings().isPresent() && !allowedServices.contains(service)) {
      throw Refused.because(
          Refusal.Code.PLAIN_CLIENT,
          "table is transactional, and services of other coprocessors see and change what is"
              + " stored, past its transactions: do the work in a client; one that touches no row"
              + " may be named in "
              + RegionServerSettings.ENDPOINTS_ALLOWED
              + ", service="
              + service
              + " table="
              + table());
    }
  }

  /** Refuses an operation without a request of ours on a transactional table. */
  public void refusePlain(String operation) {
    if (settings().isPresent()) {
      throw Refused.because(
          Refusal.Code.PLAIN_CLIENT,
          "table is transactional: use the Lampone client, or disable transactions on the table"
              + " first, table="
              + table()
              + " operation="
              + operation);
    }
  }

  /** Returns the fence; its values are read from ZooKeeper after this region has opened. */
  public RegionFence fence() {
    return opened().fence();
  }

  /** Returns the checks that every request passes. */
  public RegionGuards guards() {
    return opened().guards();
  }

  /** Returns the table's properties that the rules need. */
  public TableRules rules(TableSettings settings) {
    long generationFloor = generation().floor();
    return new TableRules(
        table(),
        settings.level(),
        Math.max(settings.floor(), generationFloor),
        maxCellBytes,
        settings.phase() == TableSettings.Phase.CHANGING,
        generationFloor,
        settings.schemaFloor());
  }

  /** Returns the learner of the table's {@code TableGeneration}. */
  public GenerationLearner generation() {
    return opened().generation();
  }

  /**
   * Returns the oldest snapshot still readable in this table, as far as this server knows; it never
   * decreases. Unlike the fence's, it may be read before the region has opened. 0 = unknown.
   */
  public long safePointOfServer() {
    return retention().safePoint(server.fences().collectableBelow());
  }

  /** Returns the retention of the table's old versions: age and number. */
  public TableRetention retention() {
    TableDescriptor descriptor = region().getTableDescriptor();
    ParsedRetention known = parsedRetention;
    if (known == null || known.descriptor() != descriptor) {
      known = new ParsedRetention(descriptor, TableRetention.of(descriptor));
      parsedRetention = known;
    }
    return known.retention();
  }

  /**
   * Returns the timestamp by which values expire for reads without a snapshot: an issued one, about
   * half a second old at most.
   */
  long now() {
    return clock().current();
  }

  /** Returns the gate, which blocks draws until a tick requested after the opening has come. */
  public RegionReadiness gate() {
    return opened().gate();
  }

  /** Returns the region's state for writes committed at birth. */
  public FastRegion fast() {
    return fast;
  }

  /**
   * Returns an attempt of the user whose request this thread executes.
   *
   * @param exclusive see {@link FastAttempt.Setting}
   */
  public FastAttempt attempt(RegionRequest request, TableRules rules, boolean exclusive) {
    String user = RpcServer.getRequestUserName().orElse("");
    return new FastAttempt(
        request, new FastAttempt.Setting(user, fast, rules, fence()::safePoint, exclusive));
  }

  /** Frees the memory that the server keeps for the region, which has closed. */
  void closed() {
    fast.settled().closed();
    fast.known().closed();
    server.healer().closed(region());
  }

  /** Returns the versions drawn recently; checks the gate first, since an open gate adds more. */
  public RecentVersions recent() {
    gate().isOpen();
    return fast.recent();
  }

  /** Returns the server's context. */
  public ServerContext server() {
    return server;
  }

  public TimestampBatches ticks() {
    return server.ticks();
  }

  /** Starts healing the region while it is open and this observer ends its chain. */
  void heal(CoprocessorChain chain) {
    if (environment.getRegionInfo().getReplicaId() == RegionInfo.DEFAULT_REPLICA_ID) {
      if (environment.getPriority() != TableSettings.COPROCESSOR_PRIORITY) {
        LOG.warn(
            "'lampone table upgrade' has to raise the observer's priority, table={} priority={}",
            table(),
            environment.getPriority());
      }
      server.healer().opened(region(), () -> settings().isPresent() && chain.endsWithUs());
    }
  }

  private Opened opened() {
    Opened known = opened;
    if (known != null) {
      return known;
    }
    synchronized (this) {
      Opened result = opened;
      if (result == null) {
        RegionFence fence = server.fences().regionOpened();
        RegionReadiness gate = new RegionReadiness(server.ticks(), fence, fast.recent());
        RegionGuards guards =
            new ServerGuards(
                fence,
                gate,
                server.session(),
                server.clock(),
                server.proofs(),
                safePoint -> retention().safePoint(safePoint));
        GenerationLearner generation =
            server.generation(environment.getRegionInfo().getTable(), gate);
        result = new Opened(fence, gate, guards, generation);
        opened = result;
        server.hurryTicks();
      }
      return result;
    }
  }

  /** Checks safe point and session after reading, before replying (protocol page, section 6). */
  void requireReadHolds(long snapshot) {
    ReadAdmission.requireHolds(snapshot, guards());
  }

  /** Checks the session alone, for answers that do not depend on a snapshot. */
  public void requireSession() {
    guards().requireSession();
  }
}
