package io.lampone.simulation.manager;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.GoAway;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.RequestType;
import io.lampone.protocol.wire.WireReply;
import io.lampone.simulation.invariant.InvariantChecker;
import io.lampone.simulation.mutant.Parts;
import io.lampone.simulation.world.Coordination;
import io.lampone.simulation.world.Focus;
import io.lampone.simulation.world.Plan;
import io.lampone.simulation.world.SimulatedMachine;
import io.lampone.simulation.world.SimulatedNetwork;
import io.lampone.tm.admission.TableTurnover;
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
import java.util.concurrent.Executor;

/** Transaction manager or validator: the real node, with a simulated event loop around it. */
public final class SimulatedManager extends SimulatedMachine implements NodeListener {

  private static final Duration BOUND_AHEAD = Duration.ofMillis(600);

  /** Larger lead: a server without session is not revealed by an unknown bound [H11]. */
  private static final Duration FAR_BOUND_AHEAD = Duration.ofMillis(1_500);

  private static final int RENEWALS_PER_LEASE = 4;
  private static final int TICKS_PER_LEASE = 20;
  private static final Duration REBIRTH = Duration.ofMillis(150);
  private static final int MAX_MESSAGES = 64;
  private static final int MAX_FRAME_BYTES = FrameLayout.LOWEST_MAX_FRAME_BYTES;
  private static final int LONGEST_RETRY_MILLIS = 20;
  private static final int TRANSFER_CHUNK = 16;
  private static final int PORT = 7411;

  /** A validator is lost before the lease of the primary is. */
  private static final Duration SILENCE = Duration.ofMillis(450);

  /** Least age at which a flooding principal displaces the entries of others. */
  public static final Duration TABLE_AGE = Duration.ofSeconds(1);

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
  private final RequestCursor cursor = new RequestCursor(MAX_MESSAGES);
  private final ReplyWriter writer = new ReplyWriter(Proofs.OPEN);
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

  private TableTurnover turnover;
  private ReservationsAreHints reservations;
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
    reservations = new ReservationsAreHints(world());
    turnover =
        new TableTurnover(
            parts.plan().memory(),
            parts.plan().decisions(),
            parts.plan().flooded() ? TABLE_AGE : Duration.ZERO);
    int born = incarnation();
    Executor loop =
        task -> {
          if (incarnation() == born) {
            after(0, task);
          }
        };
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
    SimulatedMachine nobody = coordination.machine();
    nobody.after(
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
            FrameLayout.VERSION, capabilities, epoch, MAX_FRAME_BYTES, MAX_MESSAGES));
  }

  private void send(Link link, Handshake handshake) {
    handshake.writeTo(frames);
    link.toClient(frames.finish());
  }

  private void execute(Link link, ByteBuffer frame) {
    cursor.open(frame, link.capabilities(), link);
    if (!link.increases(cursor.firstId(), cursor.lastId())) {
      world().violated("NothingUnforeseen", "ids do not increase, first=" + cursor.firstId());
    }
    ByteBuffer target = ByteBuffer.allocate(ReplyWriter.maxFrameBytes(cursor.count()));
    writer.start(target);
    if (!validator && network.isOverloaded() && isLeading()) {
      refuse(world().chance().between(1, LONGEST_RETRY_MILLIS));
      link.toClient(finish(target));
      return;
    }
    int laterMillis = validator ? 0 : admit(link.principal());
    if (laterMillis > 0) {
      refuse(laterMillis);
      link.toClient(finish(target));
      return;
    }
    BatchOutcome outcome = parts.handle(node, cursor, writer);
    if (outcome instanceof BatchOutcome.Answered) {
      ByteBuffer replies = finish(target);
      hearReplies(replies.duplicate());
      link.toClient(replies);
    } else {
      reservations.executed(
          cursor, List.of(), () -> node.vitals().reservations(), clock().monotonicNanos());
      links.remove(link);
      if (outcome instanceof BatchOutcome.Suspicious) {
        node.verifyEpoch().thenRun(link::breakOff);
      } else {
        link.breakOff();
      }
    }
  }

  private ByteBuffer finish(ByteBuffer target) {
    int bytes = writer.finish();
    return target.position(0).limit(bytes);
  }

  /** Returns 0 if the open frame may be executed, else the delay before a retry. */
  private int admit(String principal) {
    int validations = cursor.validations();
    long hashes = cursor.recordedHashes();
    int laterMillis =
        turnover.admit(
            "", parts.principal(principal), validations, hashes, clock().monotonicNanos());
    if (laterMillis == 0 && validations > 0) {
      Plan plan = parts.plan();
      double fraction =
          Math.max(hashes / (double) plan.memory(), validations / (double) plan.decisions());
      invariantChecker.admitted(name(), principal, fraction);
    }
    return laterMillis;
  }

  /** Executes nothing: refuses each request with the delay before a retry. */
  private void refuse(int retryAfterMillis) {
    cursor.cut(Integer.MAX_VALUE);
    while (cursor.next()) {
      if (cursor.type() == RequestType.VALIDATE) {
        writer.refused(cursor.id(), Validator.Reason.OVERLOADED, retryAfterMillis);
      } else {
        writer.failed(cursor.id(), WireReply.Failure.OVERLOADED, retryAfterMillis);
      }
    }
  }

  private void hearReplies(ByteBuffer frame) {
    long epoch = node.status().record().map(record -> record.epoch()).orElse(0L);
    List<WireReply> replies = WireReply.readBatch(FrameReader.open(frame));
    reservations.executed(
        cursor, replies, () -> node.vitals().reservations(), clock().monotonicNanos());
    for (WireReply reply : replies) {
      if (world().isTraced()) {
        say(() -> "answers " + reply);
      }
      if (!validator) {
        invariantChecker.answered(name(), epoch, reply);
      }
      if (reply instanceof WireReply.Validated validated
          && validated.validation() instanceof Validator.Validation.Assigned) {
        whenAssigned.run();
      }
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
    List<Runnable> now = List.copyOf(kept);
    kept.clear();
    now.forEach(task -> after(0, task));
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
