package io.lampone.simulation.manager;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.GoAway;
import io.lampone.protocol.wire.Handshake;
import io.lampone.simulation.invariant.InvariantChecker;
import io.lampone.simulation.mutant.Parts;
import io.lampone.simulation.world.Coordination;
import io.lampone.simulation.world.Focus;
import io.lampone.simulation.world.SimulatedExecutor;
import io.lampone.simulation.world.SimulatedMachine;
import io.lampone.simulation.world.SimulatedNetwork;
import io.lampone.tm.core.ManagerNode;
import io.lampone.tm.core.ManagerSettings;
import io.lampone.tm.core.NodeListener;
import io.lampone.tm.core.Retention;
import io.lampone.tm.core.Validators;
import io.lampone.tm.core.oracle.WallReading;
import io.lampone.tm.core.validation.BatchOutcome;
import io.lampone.tm.core.validation.Sharding;
import io.lampone.tm.core.validation.ValidatorIdentity;
import io.lampone.tmclient.discovery.PrimaryAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Transaction manager or validator: the real node, with a simulated event loop around it. */
public final class SimulatedManager extends SimulatedMachine implements NodeListener {

  private static final Duration BOUND_AHEAD = Duration.ofMillis(600);

  /** Larger lead: a server without session is not revealed by an unknown bound [H11]. */
  private static final Duration FAR_BOUND_AHEAD = Duration.ofMillis(1_500);

  private static final int RENEWALS_PER_LEASE = 4;
  private static final int TICKS_PER_LEASE = 20;
  private static final Duration REBIRTH = Duration.ofMillis(150);
  private static final int MAX_FRAME_BYTES = FrameLayout.LOWEST_MAX_FRAME_BYTES;
  private static final int TRANSFER_CHUNK = 16;
  private static final int PORT = 7411;

  /** A validator is lost before the lease of the primary is. */
  private static final Duration SILENCE = Duration.ofMillis(450);

  /** Lead of a clock at which its transaction manager takes no epoch, if clocks are compared. */
  private static final Duration CLOCK_LIMIT = Duration.ofMinutes(1);

  private static final Duration COMPARED_EVERY = Duration.ofMillis(100);

  /** A hold may last for so long; after an unplanned takeover the safe point rests as long. */
  private static final Retention RETENTION =
      new Retention(Duration.ofSeconds(3), Duration.ofMillis(300));

  private final SimulatedNetwork network;
  private final Coordination coordination;
  private final Parts parts;
  private final InvariantChecker invariantChecker;
  private final Duration lease;
  private final long tickNanos;
  private final FrameWriter frames = new FrameWriter();

  /** Connections on which a client has been welcomed. */
  private final Set<Link> links = new LinkedHashSet<>();

  /** Frames that have arrived since the node was sealed. */
  private final List<Runnable> kept = new ArrayList<>();

  private final InetSocketAddress socketAddress;
  private final SimulatedValidators processes;
  private final boolean validator;
  private boolean sealed;
  private Clock nodeClock;
  private ManagerNode node;

  /** The validators as this one sees them. */
  private Validators validators;

  /** Called when a transaction has been assigned a commit timestamp. */
  private Runnable whenAssigned = () -> {};

  private BatchExecutor executor;
  private int births;

  /** Its name in the record, which is never used again. */
  private String holder = "";

  /**
   * @param processes all validators
   * @param validator whether this is one
   */
  public SimulatedManager(
      String name,
      SimulatedNetwork network,
      Coordination coordination,
      Parts parts,
      InvariantChecker invariantChecker,
      SimulatedValidators processes,
      boolean validator) {
    super(coordination.machine().world(), name);
    this.network = network;
    this.coordination = coordination;
    this.parts = parts;
    this.invariantChecker = invariantChecker;
    this.lease = parts.plan().lease();
    this.tickNanos = lease.toNanos() / TICKS_PER_LEASE;
    this.socketAddress = resolved(name);
    this.processes = processes;
    this.validator = validator;
    boot();
  }

  /** Returns a resolved address without a name service: the host does not exist. */
  private static InetSocketAddress resolved(String name) {
    try {
      return new InetSocketAddress(InetAddress.getByAddress(name, new byte[Integer.BYTES]), PORT);
    } catch (UnknownHostException e) {
      throw new IllegalStateException("four bytes are an address", e);
    }
  }

  /** Returns its address, as it writes that into the record. */
  public String address() {
    return name() + ":" + PORT;
  }

  InetSocketAddress socketAddress() {
    return socketAddress;
  }

  /** Returns the address for a client without other information. */
  PrimaryAddress primaryAddress() {
    return PrimaryAddress.of(InetSocketAddress.createUnresolved(name(), PORT));
  }

  /** As the real one does each time that it puts itself on the list of members. */
  private void compareClock() {
    WallReading sent = WallReading.of(nodeClock);
    var unused =
        coordination
            .compare(this, sent.wallMillis())
            .thenAccept(
                compared ->
                    node.clockCompared(sent, compared.aheadOfStore(), compared.aheadOfMembers()))
            .exceptionally(failure -> null);
    assert unused != null;
    after(COMPARED_EVERY, this::compareClock);
  }

  /** Returns true if this is the primary, and should not be because of its clock. */
  public boolean wantsRelief() {
    return isUp() && isLeading() && node.trust().wantsRelief();
  }

  private void boot() {
    SimulatedExecutor loop = new SimulatedExecutor(this);
    holder = name() + "#" + births++;
    ManagerSettings settings =
        new ManagerSettings(
            holder,
            address(),
            lease,
            lease.dividedBy(RENEWALS_PER_LEASE),
            parts.plan().honestClocks() ? FAR_BOUND_AHEAD : BOUND_AHEAD,
            validator ? parts.plan().votes() : parts.plan().memory(),
            parts.plan().decisions(),
            TRANSFER_CHUNK,
            RETENTION,
            Proofs.OPEN);
    nodeClock = parts.managerClock(clock());
    node =
        new ManagerNode(
            validator
                ? Optional.of(
                    new ValidatorIdentity(name(), SimulatedValidators.incarnationOf(holder)))
                : Optional.empty(),
            settings,
            parts.recordStore(coordination.storeFor(this)),
            nodeClock,
            loop,
            this);
    executor =
        new BatchExecutor(
            this, network, node, validator, parts, invariantChecker, () -> whenAssigned.run());
    validators =
        new Validators(
            node,
            processes.registry(this, coordination),
            (address, listener) ->
                new TransferChannel(network, this, processes.at(address), listener),
            loop,
            clock(),
            Proofs.OPEN,
            new Sharding("", parts.plan().focus() != Focus.STRADDLERS, SILENCE, 1));
    after(0, this::tick);
    if (!validator && parts.plan().clocksCompared()) {
      node.trust().demand(parts.clockLimit(CLOCK_LIMIT));
      after(0, this::compareClock);
    }
  }

  /**
   * Runs timers after messages that have arrived, like a real event loop: so the first event after
   * a pause is a request [D1].
   */
  private void tick() {
    node.tick();
    if (!validator && !processes.processes().isEmpty()) {
      try {
        validators.tick();
      } catch (RuntimeException e) {
        // The real process ends.
        world().violated("ManagerInvariant", "a tick has failed: " + e);
      }
    }
    after(tickNanos, () -> after(0, this::tick));
  }

  /** Dies, and is born again some time later under another name. */
  public void crash() {
    die();
    links.forEach(Link::breakOff);
    links.clear();
    kept.clear();
    sealed = false;
    coordination
        .machine()
        .after(
            world().chance().nanosUpTo(REBIRTH),
            () -> {
              revive();
              boot();
            });
  }

  /** A frame of a client's. While the node is sealed, it waits. */
  void receive(Link link, ByteBuffer frame) {
    if (sealed) {
      kept.add(() -> receive(link, frame));
    } else if (!FrameKind.REQUESTS.isKindOf(frame)) {
      greet(link, Handshake.Hello.readFrom(FrameReader.open(frame)));
    } else if (links.contains(link)) {
      execute(link, frame);
    }
  }

  /** Welcomes a client, or rejects it if this is no primary. */
  private void greet(Link link, Handshake.Hello hello) {
    var leading = node.leading();
    if (leading.isEmpty()) {
      send(
          link,
          new Handshake.Reject(
              Handshake.Reason.NOT_PRIMARY,
              FrameLayout.LOWEST_VERSION,
              FrameLayout.VERSION,
              "not the primary"));
      return;
    }
    long epoch = leading.get().epoch();
    links.removeIf(Link::isBroken);
    links.add(link);
    long capabilities = link.welcomed(epoch, hello.capabilities());
    send(
        link,
        new Handshake.Welcome(
            FrameLayout.VERSION, capabilities, epoch, MAX_FRAME_BYTES, BatchExecutor.MAX_MESSAGES));
  }

  private void send(Link link, Handshake handshake) {
    handshake.writeTo(frames);
    link.toClient(frames.finish());
  }

  private void execute(Link link, ByteBuffer frame) {
    BatchOutcome outcome = executor.execute(link, frame);
    if (outcome instanceof BatchOutcome.Answered) {
      return;
    }
    links.remove(link);
    if (outcome instanceof BatchOutcome.Suspicious) {
      node.verifyEpoch().thenRun(link::breakOff);
    } else {
      link.breakOff();
    }
  }

  /** Calls {@code action} whenever a transaction has been assigned a commit timestamp. */
  void whenAssigned(Runnable action) {
    whenAssigned = action;
  }

  boolean isValidator() {
    return validator;
  }

  /** Returns the validators as this transaction manager sees them. */
  Validators validators() {
    return validators;
  }

  public boolean isLeading() {
    return node.leading().isPresent();
  }

  ManagerNode node() {
    return node;
  }

  /** Hands over to {@code successor}, if this is the primary and both are up. */
  public void handOver(SimulatedManager successor) {
    if (!isUp() || !successor.isUp() || !isLeading()) {
      return;
    }
    say(() -> "HANDS OVER to=" + successor.holder);
    node.handOver(
            successor.holder,
            successor.address(),
            (address, listener) -> new TransferChannel(network, this, successor, listener))
        .whenComplete((report, failure) -> say(() -> "HAND-OVER " + report + " " + failure));
  }

  /**
   * Grants a hold, if this is the primary.
   *
   * @param granted run when the hold is in force
   */
  public void hold(String owner, long snapshot, Duration lifetime, Runnable granted) {
    try {
      node.holds().hold(owner, "snapshot", snapshot, parts.hold(lifetime));
      granted.run();
    } catch (IllegalStateException | IllegalArgumentException e) {
      say(() -> "hold refused " + e.getMessage());
    }
  }

  /** Raises the safe point, if that is possible at the moment. */
  public void advanceSafePoint(long timestamp) {
    if (!isUp() || pausedUntilNanos() > world().nowNanos()) {
      return;
    }
    try {
      node.advanceSafePoint(timestamp)
          .whenComplete(
              (safePoint, failure) -> say(() -> "SAFE POINT " + safePoint + " " + failure));
    } catch (IllegalArgumentException e) {
      say(() -> "safe point refused " + e.getMessage());
    }
  }

  @Override
  public void becamePrimary(long epoch) {
    say(() -> "PRIMARY epoch=" + epoch);
    invariantChecker.becamePrimary(name(), epoch);
  }

  @Override
  public void sealed() {
    sealed = true;
  }

  @Override
  public void unsealed() {
    sealed = false;
    kept.forEach(task -> after(0, task));
    kept.clear();
  }

  @Override
  public void handedOver(String address) {
    say(() -> "TAKES LEAVE to=" + address + " connections=" + links.size());
    for (Link link : links) {
      new GoAway(GoAway.Reason.HANDED_OVER, address).writeTo(frames);
      link.toClient(frames.finish());
    }
    links.clear();
  }

  @Override
  public void retired(Retirement retirement) {
    say(() -> "RETIRED " + retirement);
    if (retirement == Retirement.INVARIANT_VIOLATED) {
      world().violated("ManagerInvariant", "a transaction manager has stopped itself");
    }
    after(0, this::crash);
  }
}
