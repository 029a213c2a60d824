package io.lampone.tm.core;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.Transfer;
import io.lampone.tm.core.NodeListener.Retirement;
import io.lampone.tm.core.oracle.InvariantViolatedException;
import io.lampone.tm.core.status.DebugDump;
import io.lampone.tm.core.status.NodeMetrics;
import io.lampone.tm.core.status.NodeStatus;
import io.lampone.tm.core.transfer.TransferFailedException;
import io.lampone.tm.core.transfer.TransferLink;
import io.lampone.tm.core.transfer.TransferResult;
import io.lampone.tm.core.transfer.TransferSource;
import io.lampone.tm.core.validation.BatchOutcome;
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
 * One process of the transaction manager, in one role after another. The only class that changes
 * the role:
 *
 * <pre>
 *   Backup  -> Primary   its compare-and-set has taken the epoch
 *   Backup  -> Retired   released
 *   Primary -> Retired   released; handed over; superseded; an invariant does not hold
 * </pre>
 *
 * <p>Nothing leads out of Retired, and nothing back to Backup: a process that has lost its epoch
 * ends, and another one begins with empty memory and a new name.
 *
 * <p>Not thread-safe: every call comes on the thread of {@code loop}, and so does everything that
 * the store answers.
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

  private NodeRole role;

  /** True if this node must not become the primary; for good. */
  private boolean draining;

  /** When the store answered last; before the first answer, when this node was made. */
  private long storeAnsweredNanos;

  public ManagerNode(
      ManagerSettings settings,
      RecordStore store,
      Clock clock,
      Executor loop,
      NodeListener listener) {
    this(settings, store, clock, loop, listener, LOG);
  }

  ManagerNode(
      ManagerSettings settings,
      RecordStore store,
      Clock clock,
      Executor loop,
      NodeListener listener,
      Logger roles) {
    this.roles = roles;
    this.settings = settings;
    this.store = store;
    this.clock = new SteadyClock(clock);
    this.trust = new ClockTrust(this.clock);
    this.loop = loop;
    this.listener = listener;
    this.alarm = new TamperAlarm(clock, listener);
    this.storeAnsweredNanos = clock.monotonicNanos();
    this.role = new Backup(this, settings, store, this.clock);
  }

  /** Does what is due; to be called several times in an interval of renewal. */
  public void tick() {
    clock.tick();
    guarded(role::tick);
  }

  /**
   * Executes a frame of requests, which has been opened, and writes the answers, or keeps silent.
   * If this throws, the frame was at fault and its sender should lose the connection.
   */
  public BatchOutcome handle(RequestCursor requests, ReplyWriter replies) {
    try {
      return role.handle(requests, replies);
    } catch (InvariantViolatedException | Error e) {
      // An Error may have left half of a decision behind: nothing may be answered from that.
      stop(e);
      return BatchOutcome.SILENT;
    }
  }

  /** Returns the metrics of this node at this moment. */
  public NodeMetrics vitals() {
    return role.metrics(
        clock.monotonicNanos() - storeAnsweredNanos, draining, trust.complaint().orElse(""));
  }

  /**
   * The wall clock has been compared with others.
   *
   * @param aheadOfStoreMillis how far it is ahead of ZooKeeper's, which stores the record
   * @param aheadOfMembersMillis how far it is ahead of each of the other members'
   */
  public void clockCompared(long aheadOfStoreMillis, List<Long> aheadOfMembersMillis) {
    trust.compared(
        aheadOfStoreMillis, aheadOfMembersMillis, role.name() == NodeMetrics.Name.BACKUP);
    guarded(role::clockCompared);
  }

  /** Returns the trust in this node's clock, and with it in the record. */
  public ClockTrust trust() {
    return trust;
  }

  /** The record of the epoch that this node may answer for at this moment, if it may. */
  public Optional<ManagerRecord> leading() {
    return role.leading();
  }

  /**
   * Reads the record anew after a suspicious timestamp. Completes when the epoch has not moved;
   * fails when it has, after this node has retired, or when that is unknown.
   */
  public CompletableFuture<Void> verifyEpoch() {
    return role.verifyEpoch();
  }

  /**
   * Raises the safe point: refuses undecided transactions below it, then publishes it, and only
   * then completes, with the safe point in force. Fails if this node is or becomes no primary, and
   * while holds of a dead primary may be in force.
   *
   * @throws IllegalArgumentException if {@code timestamp} has not been issued yet
   */
  public CompletableFuture<Long> advanceSafePoint(long timestamp) {
    return role.advanceSafePoint(timestamp);
  }

  /**
   * Hands over to a backup while going on; retires when that one leads. Fails with {@link
   * TransferFailedException}, saying what to do, if it does not take place.
   *
   * @param successor the backup's name in the record
   * @param address where it listens
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
   * A part of a transfer has come from a primary. If this throws, the sender should lose the
   * connection.
   */
  public void receive(TransferSource from, Transfer part) {
    role.receive(from, part);
  }

  /** The connection of a primary has ended. */
  public void left(TransferSource from) {
    role.left(from);
  }

  /** Returns true if tables are kept that were handed over, in part or as a whole. */
  boolean keepsReceivedState() {
    return role.keepsReceivedState();
  }

  /** From now on this node neither takes an epoch nor anything that is handed over. */
  public void drain() {
    draining = true;
  }

  /**
   * An administrator says that the record is right as it is: a backup may take the epoch from it
   * though it went back or has disappeared. No timestamp is issued twice.
   *
   * @return what the record said when this node read it last
   * @throws IllegalStateException if this node is no backup
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

  /** The safe point that the primary has decided on. */
  public long safePoint() {
    return asPrimary(Primary::safePoint);
  }

  /** The snapshots that are held. */
  public Holds holds() {
    return new Holds(this);
  }

  /**
   * Runs an action on the primary that is not a request, and proves the lease before returning the
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

  /** Returns the status of this node at this moment. */
  public NodeStatus status() {
    return new NodeStatus(
        role.name().name().toLowerCase(Locale.ROOT),
        settings.holder(),
        settings.address(),
        draining,
        role.record(),
        role.tables());
  }

  /** Falls silent, gives the lease back if it holds it, and retires. */
  public void release() {
    guarded(role::release);
  }

  /** Transition: Backup to Primary. */
  void lead(Epoch epoch) {
    if (role.name() != NodeMetrics.Name.BACKUP) {
      // Released while the compare-and-set was under way: the lease runs out by itself.
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

  /** Hands what the store answers to {@code then}, on the loop; nothing if it failed. */
  <T> void await(CompletableFuture<T> answer, Consumer<Optional<T>> then) {
    answer.whenCompleteAsync(
        (value, failure) -> {
          if (failure != null) {
            boolean wrapped = failure instanceof CompletionException && failure.getCause() != null;
            LOG.warn(
                "record store failed, cause={}",
                String.valueOf(wrapped ? failure.getCause() : failure));
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
      // Off the request path nothing comes from outside: whatever is thrown is a mistake of ours,
      // or of the machine's, and a node that went on without its ticks would neither renew nor end.
      stop(e);
    }
  }

  private void stop(Throwable e) {
    // First of all: where there is no memory left, a line of the log may fail as well.
    retire(Retirement.INVARIANT_VIOLATED);
    LOG.error("an invariant does not hold, holder={}", settings.holder(), e);
  }

  /** Returns true if proofs are made under a key of the cluster. */
  public boolean hasClusterKey() {
    return !settings.proofs().isOpen();
  }
}
