package io.lampone.simulation;

import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.WireReply;
import io.lampone.tm.core.BatchOutcome;
import io.lampone.tm.core.ManagerNode;
import io.lampone.tm.core.ManagerSettings;
import io.lampone.tm.core.NodeListener;
import io.lampone.tm.core.Retention;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** A transaction manager: the real node, and what the real one has around it as event loop. */
final class ManagerProcess extends Machine implements NodeListener {

  private static final Duration BOUND_AHEAD = Duration.ofMillis(600);
  private static final int RENEWALS_PER_LEASE = 4;
  private static final int TICKS_PER_LEASE = 20;
  private static final Duration REBIRTH = Duration.ofMillis(150);
  private static final int MAX_MESSAGES = 64;
  private static final int TRANSFER_CHUNK = 16;

  /** A hold may last for so long; after an unplanned takeover the safe point rests as long. */
  private static final Retention RETENTION =
      new Retention(Duration.ofSeconds(3), Duration.ofMillis(300));

  private final Network network;
  private final Coordination coordination;
  private final Parts parts;
  private final Watchers watchers;
  private final Duration lease;
  private final long tickNanos;
  private final RequestCursor cursor = new RequestCursor(MAX_MESSAGES);
  private final ReplyWriter writer = new ReplyWriter();
  private ManagerNode node;
  private int births;

  /** Its name in the record, which is never used again. */
  private String holder = "";

  ManagerProcess(
      String name, Network network, Coordination coordination, Parts parts, Watchers watchers) {
    super(coordination.machine().world(), name);
    this.network = network;
    this.coordination = coordination;
    this.parts = parts;
    this.watchers = watchers;
    this.lease = parts.plan().lease();
    this.tickNanos = lease.toNanos() / TICKS_PER_LEASE;
    this.node = boot();
  }

  private ManagerNode boot() {
    holder = name() + "#" + births++;
    ManagerSettings settings =
        new ManagerSettings(
            holder,
            name(),
            lease,
            lease.dividedBy(RENEWALS_PER_LEASE),
            BOUND_AHEAD,
            parts.plan().memory(),
            parts.plan().decisions(),
            TRANSFER_CHUNK,
            RETENTION);
    int born = incarnation();
    ManagerNode fresh =
        new ManagerNode(
            settings,
            parts.recordStore(coordination.storeFor(this)),
            parts.managerClock(clock()),
            task -> {
              if (incarnation() == born) {
                after(0, task);
              }
            },
            this);
    after(0, this::tick);
    return fresh;
  }

  private void tick() {
    node.tick();
    after(tickNanos, this::tick);
  }

  /** Dies, and is born again some time later under another name. */
  void crash() {
    die();
    Machine nobody = coordination.machine();
    nobody.after(
        world().chance().nanosUpTo(REBIRTH),
        () -> {
          revive();
          node = boot();
        });
  }

  /** A client greets: it is told the epoch, or that this is no primary. */
  void greet(Link link, Consumer<OptionalLong> answer) {
    var leading = node.leading();
    OptionalLong epoch =
        leading.isPresent() ? OptionalLong.of(leading.get().epoch()) : OptionalLong.empty();
    link.toClient(() -> answer.accept(epoch));
  }

  /** A frame of requests. */
  void receive(Link link, ByteBuffer frame, int requests, Consumer<List<WireReply>> answer) {
    cursor.open(frame, false);
    ByteBuffer target = ByteBuffer.allocate(ReplyWriter.maxFrameBytes(requests));
    writer.start(target);
    BatchOutcome outcome = parts.handle(node, cursor, writer);
    if (outcome instanceof BatchOutcome.Suspicious) {
      node.verifyEpoch().thenRun(link::breakOff);
      return;
    }
    if (!(outcome instanceof BatchOutcome.Answered)) {
      return;
    }
    int bytes = writer.finish();
    target.position(0).limit(bytes);
    List<WireReply> replies = WireReply.readBatch(FrameReader.open(target));
    long epoch = node.status().record().map(record -> record.epoch()).orElse(0L);
    for (WireReply reply : replies) {
      if (world().isTraced()) {
        say(() -> "answers " + reply);
      }
      watchers.answered(name(), epoch, reply);
    }
    link.toClient(() -> answer.accept(replies));
  }

  boolean isLeading() {
    return node.leading().isPresent();
  }

  ManagerNode node() {
    return node;
  }

  /** Hands over to {@code successor}, if this is the primary and nothing comes between. */
  void handOver(ManagerProcess successor) {
    if (!isUp() || !successor.isUp() || !isLeading()) {
      return;
    }
    say(() -> "HANDS OVER to=" + successor.holder);
    node.handOver(
            successor.holder,
            successor.name(),
            (address, listener) -> new TransferRoad(network, this, successor, listener))
        .whenComplete((report, failure) -> say(() -> "HAND-OVER " + report + " " + failure));
  }

  /**
   * Grants a hold, if this is the primary.
   *
   * @param granted run when the hold is in force
   */
  void hold(String owner, long snapshot, Duration lifetime, Runnable granted) {
    try {
      node.holds().hold(owner, "snapshot", snapshot, parts.hold(lifetime));
      granted.run();
    } catch (IllegalStateException | IllegalArgumentException e) {
      say(() -> "hold refused " + e.getMessage());
    }
  }

  /** Raises the safe point, if that is possible at the moment. */
  void advanceSafePoint(long timestamp) {
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
    watchers.becamePrimary(name(), epoch);
  }

  @Override
  public void sealed() {}

  @Override
  public void unsealed() {}

  @Override
  public void handedOver(String address) {}

  @Override
  public void retired(Retirement retirement) {
    say(() -> "RETIRED " + retirement);
    if (retirement == Retirement.INVARIANT_VIOLATED) {
      world().violated("ManagerInvariant", "a transaction manager has stopped itself");
    }
    after(0, this::crash);
  }
}
