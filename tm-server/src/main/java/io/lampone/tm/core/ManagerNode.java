package io.lampone.tm.core;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.RareLine;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.Transfer;
import io.lampone.tm.core.NodeListener.Retirement;
import io.lampone.tm.core.oracle.InvariantViolatedException;
import io.lampone.tm.core.oracle.WallReading;
import io.lampone.tm.core.status.DebugDump;
import io.lampone.tm.core.status.NodeMetrics;
import io.lampone.tm.core.status.NodeStatus;
import io.lampone.tm.core.transfer.TransferFailedException;
import io.lampone.tm.core.transfer.TransferLink;
import io.lampone.tm.core.transfer.TransferResult;
import io.lampone.tm.core.transfer.TransferSource;
import io.lampone.tm.core.validation.BatchOutcome;
import io.lampone.tm.core.validation.ValidatorIdentity;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A transaction manager process in its successive roles, and the only class that changes the role:
 *
 * <pre>
 *   Backup  -> Primary   its compare-and-set has taken the epoch
 *   Backup  -> Retired   released
 *   Primary -> Retired   released; handed over; superseded; an invariant is violated
 *   ValidatorRole -> Retired   released; an invariant is violated
 * </pre>
 *
 * <p>Retired is terminal, and there is no way back to Backup: a process that has lost its epoch
 * ends, and another one starts with empty memory and a new name.
 *
 * <p>Not thread-safe: all calls and all answers of the store arrive on the thread of {@code loop}.
 */
public final class ManagerNode {

  private static final Logger LOG = LoggerFactory.getLogger(ManagerNode.class);

  private final ManagerSettings settings;
  private final RecordStore store;
  private final SteadyClock clock;
  private final Executor loop;
  private final NodeListener listener;

  /** Logger of role changes. */
  private final Logger roles;

  private final TamperAlarm alarm;
  private final ClockTrust trust;
  private final RareLine storeFailures;

  private NodeRole role;

  /** True if this node must never become the primary any more. */
  private boolean draining;

  /** Time of the store's last answer; initially the creation of this node. */
  private long storeAnsweredNanos;

  public ManagerNode(
      ManagerSettings settings,
      RecordStore store,
      Clock clock,
      Executor loop,
      NodeListener listener) {
    this(settings, store, clock, loop, listener, LOG);
  }

  /**
   * Creates a process in its first role.
   *
   * @param validator its identity if it is a validator only; empty for a backup
   */
  public ManagerNode(
      Optional<ValidatorIdentity> validator,
      ManagerSettings settings,
      RecordStore store,
      Clock clock,
      Executor loop,
      NodeListener listener) {
    this(
        settings,
        store,
        clock,
        loop,
        listener,
        LOG,
        node ->
            validator.isEmpty()
                ? new Backup(node, settings, store, node.clock)
                : new ValidatorRole(node, settings, validator.get(), node.clock));
  }

  ManagerNode(
      ManagerSettings settings,
      RecordStore store,
      Clock clock,
      Executor loop,
      NodeListener listener,
      Logger roles) {
    this(
        settings,
        store,
        clock,
        loop,
        listener,
        roles,
        node -> new Backup(node, settings, store, node.clock));
  }

  private ManagerNode(
      ManagerSettings settings,
      RecordStore store,
      Clock clock,
      Executor loop,
      NodeListener listener,
      Logger roles,
      Function<ManagerNode, NodeRole> first) {
    this.roles = roles;
    this.settings = settings;
    this.store = store;
    this.clock = new SteadyClock(clock);
    this.trust = new ClockTrust(this.clock);
    this.storeFailures = new RareLine(this.clock);
    this.loop = loop;
    this.listener = listener;
    this.alarm = new TamperAlarm(clock, listener);
    this.storeAnsweredNanos = clock.monotonicNanos();
    this.role = first.apply(this);
  }

  /** Performs due work; to be called several times per renewal interval. */
  public void tick() {
    clock.tick();
    guarded(role::tick);
  }

  /**
   * Executes a frame of requests that has been opened, and writes the answers, or stays silent. If
   * this throws, the frame was at fault and its connection should be closed.
   */
  public BatchOutcome handle(RequestCursor requests, ReplyWriter replies) {
    try {
      return role.handle(requests, replies);
    } catch (InvariantViolatedException | Error e) {
      // An Error may have left a partial decision, from which nothing may be answered.
      stop(e);
      return BatchOutcome.SILENT;
    }
  }

  /** Returns the current metrics of this node. */
  public NodeMetrics vitals() {
    return role.metrics(
        clock.monotonicNanos() - storeAnsweredNanos, draining, trust.complaint().orElse(""));
  }

  /**
   * The wall clock has been compared with others.
   *
   * @param reading the wall clock that was compared; it may have stepped since
   * @param aheadOfStoreMillis how far it was ahead of ZooKeeper's, which stores the record
   * @param aheadOfMembersMillis how far it was ahead of each of the other members'
   */
  public void clockCompared(
      WallReading reading, long aheadOfStoreMillis, List<Long> aheadOfMembersMillis) {
    trust.compared(
        reading, aheadOfStoreMillis, aheadOfMembersMillis, role.name() == NodeMetrics.Name.BACKUP);
    guarded(role::clockCompared);
  }

  /** Returns the trust in this node's clock, and hence in the record. */
  public ClockTrust trust() {
    return trust;
  }

  /** Returns the record of the epoch if this node may answer for it at this moment. */
  public Optional<ManagerRecord> leading() {
    return role.leading();
  }

  /**
   * Reads the record again after a suspicious timestamp. Completes if the epoch has not moved.
   * Fails if it has, after this node has retired, or if that is unknown.
   */
  public CompletableFuture<Void> verifyEpoch() {
    return role.verifyEpoch();
  }

  /**
   * Raises the safe point: refuses undecided transactions below it, publishes it, and completes
   * with the safe point in force. Fails if this node is not or does not remain the primary, and
   * while holds of a dead primary may be in force.
   *
   * @throws IllegalArgumentException if {@code timestamp} has not been issued yet
   */
  public CompletableFuture<Long> advanceSafePoint(long timestamp) {
    return role.advanceSafePoint(timestamp);
  }

  /**
   * Hands over to a backup while it continues to answer; retires when the backup leads. Otherwise
   * the future fails with {@link TransferFailedException}, whose message has the remedy.
   *
   * @param successor the backup's name in the record
   * @param address where the backup listens
   */
  public CompletableFuture<TransferResult> handOver(
      String successor, String address, TransferLink.Connector connector) {
    if (successor.equals(settings.holder())) {
      return CompletableFuture.failedFuture(
          new TransferFailedException(
              "not handed over: that is this one, address=" + address, false));
    }
    return role.handOver(successor, address, connector);
  }

  /**
   * Processes a part of a transfer from a primary. If this throws, the connection should be closed.
   */
  public void receive(TransferSource from, Transfer part) {
    role.receive(from, part);
  }

  /** Reports that the connection of a primary has ended. */
  public void left(TransferSource from) {
    role.left(from);
  }

  /** Returns true if this node has complete or partial tables from a hand-over. */
  boolean keepsReceivedState() {
    return role.keepsReceivedState();
  }

  /** Stops this node from taking an epoch or receiving a hand-over, permanently. */
  public void drain() {
    draining = true;
  }

  /**
   * Accepts the record on behalf of an administrator: a backup may take the epoch from it although
   * it went back or has disappeared, and a primary that is silent because of it writes over it.
   *
   * @return a description of the record as last read by this node
   * @throws IllegalStateException if this node is neither, or the record is unreadable
   */
  public String acceptRecord() {
    return role.acceptRecord();
  }

  /** Returns true if {@link #drain} has been called. */
  public boolean isDraining() {
    return draining;
  }

  /** Returns the retention of snapshots. */
  public Retention retention() {
    return settings.retention();
  }

  /** Returns the safe point that the primary has decided. */
  public long safePoint() {
    return asPrimary(primary -> primary.core().safePoint());
  }

  /** Returns the snapshots that are held. */
  public Holds holds() {
    return new Holds(this);
  }

  /**
   * Runs an action other than a request on the primary, and proves the lease before returning the
   * result.
   *
   * @throws IllegalStateException if this node is not the primary at this moment
   */
  <T> T asPrimary(Function<Primary, T> action) {
    return role.asPrimary(action);
  }

  /**
   * Returns what the primary remembers of a transaction.
   *
   * @throws IllegalStateException if this node is not the primary at this moment
   */
  public DebugDump inspect(long startTimestamp) {
    return asPrimary(primary -> primary.inspect(startTimestamp));
  }

  /** Returns the current status of this node. */
  public NodeStatus status() {
    return new NodeStatus(
        role.name().name().toLowerCase(Locale.ROOT),
        settings.holder(),
        settings.address(),
        draining,
        role.record(),
        role.tables());
  }

  /** Stops answering, gives back the lease if held, and retires. */
  public void release() {
    guarded(role::release);
  }

  /** Transition: Backup to Primary. */
  void lead(Epoch epoch) {
    if (role.name() != NodeMetrics.Name.BACKUP) {
      // Released while the compare-and-set was under way: the lease expires by itself.
      return;
    }
    role = new Primary(this, settings, store, clock, alarm, epoch);
    roles.info(
        "became primary, epoch={} firstTimestamp={} inherited={} address={}",
        epoch.record().epoch(),
        epoch.firstTimestamp(),
        epoch.inherited(),
        settings.address());
    listener.becamePrimary(epoch.record().epoch());
  }

  NodeListener listener() {
    return listener;
  }

  /** Transition: Primary to Retired, with a successor. */
  void handedOver(String address) {
    listener.handedOver(address);
    retire(Retirement.HANDED_OVER);
  }

  /** Transition: anything to Retired. */
  public void retire(Retirement retirement) {
    NodeRole old = role;
    if (old.name() == NodeMetrics.Name.RETIRED) {
      return;
    }
    role = new Retired();
    roles.info("retired, retirement={} holder={}", retirement, settings.holder());
    old.abandon();
    listener.retired(retirement);
  }

  /** Passes the store's answer to {@code then} on the loop; empty if it failed. */
  <T> void await(CompletableFuture<T> answer, Consumer<Optional<T>> then) {
    answer.whenCompleteAsync(
        (value, failure) -> {
          if (failure != null) {
            boolean wrapped = failure instanceof CompletionException && failure.getCause() != null;
            Throwable cause = wrapped ? failure.getCause() : failure;
            storeFailures
                .happened()
                .ifPresent(
                    times -> LOG.warn("record store failed, cause={} times={}", cause, times));
          } else {
            storeAnsweredNanos = clock.monotonicNanos();
          }
          guarded(() -> then.accept(failure == null ? Optional.of(value) : Optional.empty()));
        },
        loop);
  }

  private void guarded(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException | Error e) {
      // Off the request path there is no external input: an exception is a defect of the code or
      // the machine, and a node without ticks would neither renew nor end.
      stop(e);
    }
  }

  private void stop(Throwable e) {
    // First, because without memory logging may fail as well.
    retire(Retirement.INVARIANT_VIOLATED);
    LOG.error("an invariant does not hold, holder={}", settings.holder(), e);
  }

  /** Returns true if proofs are created with a cluster key. */
  public boolean hasClusterKey() {
    return !settings.proofs().isOpen();
  }
}
