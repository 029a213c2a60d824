package io.lampone.tm.net;

import com.codahale.metrics.Histogram;
import com.codahale.metrics.Meter;
import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.ReplyType;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.tm.admission.Admission;
import io.lampone.tm.admission.Tenant;
import io.lampone.tm.command.Traffic;
import io.lampone.tm.metrics.LogReservoir;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Metrics of the server. */
public final class ServerMetrics {

  private static final String PREFIX = "lampone.tm.";

  private final Meter begins;
  private final Meter passed;
  private final Meter assigned;
  private final Meter voted;
  private final Meter conflicts;
  private final Meter reserved;
  private final Meter reservedConflict;
  private final Meter reservedHeld;
  private final Meter statuses;
  private final Meter progressReports;
  private final Meter failed;
  private final Meter malformed;
  private final Meter suspicious;
  private final Meter unowned;
  private final Meter silenced;
  private final Meter overloaded;
  private final Meter handshakesTimedOut;
  private final Meter handshakesDisplaced;
  private final Meter crowded;
  private final Meter tlsFailed;
  private final Meter paused;
  private final Meter dawdled;
  private final Meter unended;
  private final Meter refusedForConnection;
  private final Histogram frames;
  private final Histogram sends;
  private final Histogram rounds;
  private final Map<Admission.Reason, Meter> refusedFor = new EnumMap<>(Admission.Reason.class);

  /** By tenant; there are as many as lines in the quota file. */
  private final Map<String, Meter> refusedByTenant = new HashMap<>();

  private final MetricRegistry registry;
  private final Histogram batchSizes;
  private final Map<Validator.Reason, Meter> refusals = new EnumMap<>(Validator.Reason.class);

  private final Map<Handshake.Reason, Meter> rejections = new EnumMap<>(Handshake.Reason.class);

  public ServerMetrics(MetricRegistry registry, Clock clock) {
    for (Handshake.Reason reason : Handshake.Reason.values()) {
      rejections.put(reason, registry.meter(PREFIX + "handshakes.rejected." + nameOf(reason)));
    }
    handshakesTimedOut = registry.meter(PREFIX + "handshakes.timed-out");
    handshakesDisplaced = registry.meter(PREFIX + "handshakes.displaced");
    crowded = registry.meter(PREFIX + "handshakes.crowded");
    tlsFailed = registry.meter(PREFIX + "handshakes.tls-failed");
    this.registry = registry;
    paused = registry.meter(PREFIX + "connections.paused");
    dawdled = registry.meter(PREFIX + "connections.dawdled");
    unended = registry.meter(PREFIX + "connections.unended");
    refusedForConnection = registry.meter(PREFIX + "batches.refused.connection");
    for (Admission.Reason reason : Admission.Reason.values()) {
      refusedFor.put(reason, registry.meter(PREFIX + "batches.refused." + nameOf(reason)));
    }
    frames =
        registry.histogram(
            PREFIX + "frame.execution.nanos", () -> new Histogram(new LogReservoir(clock)));
    sends =
        registry.histogram(
            PREFIX + "frame.read-to-write.nanos", () -> new Histogram(new LogReservoir(clock)));
    rounds =
        registry.histogram(
            PREFIX + "loop.round.nanos", () -> new Histogram(new LogReservoir(clock)));
    begins = registry.meter(PREFIX + "begins");
    passed = registry.meter(PREFIX + "validations.passed");
    assigned = registry.meter(PREFIX + "validations.assigned");
    voted = registry.meter(PREFIX + "validations.voted");
    conflicts = registry.meter(PREFIX + "validations.conflict");
    reserved = registry.meter(PREFIX + "reservations.granted");
    reservedConflict = registry.meter(PREFIX + "reservations.conflict");
    reservedHeld = registry.meter(PREFIX + "reservations.held");
    progressReports = registry.meter(PREFIX + "progress-reports");
    statuses = registry.meter(PREFIX + "statuses");
    failed = registry.meter(PREFIX + "failed");
    malformed = registry.meter(PREFIX + "connections.malformed");
    suspicious = registry.meter(PREFIX + "connections.suspicious");
    unowned = registry.meter(PREFIX + "connections.unowned");
    silenced = registry.meter(PREFIX + "batches.silenced");
    overloaded = registry.meter(PREFIX + "batches.overloaded");
    // The default reservoir allocates for every value.
    batchSizes =
        registry.histogram(PREFIX + "batches.size", () -> new Histogram(new LogReservoir(clock)));
    for (Validator.Reason reason : Validator.Reason.values()) {
      refusals.put(reason, registry.meter(PREFIX + "validations.refused." + nameOf(reason)));
    }
  }

  public void rejected(Handshake.Reason reason) {
    rejections.getOrDefault(reason, failed).mark();
  }

  /** Counts a frame of replies, with one update for each kind of reply in it. */
  void answered(ReplyWriter replies) {
    batchSizes.update(replies.count());
    mark(begins, replies.count(ReplyType.BEGUN));
    mark(passed, replies.count(ReplyType.PASSED));
    mark(assigned, replies.count(ReplyType.ASSIGNED));
    mark(voted, replies.count(ReplyType.VOTED));
    mark(conflicts, replies.count(ReplyType.CONFLICT));
    mark(reserved, replies.count(ReplyType.RESERVED));
    mark(reservedConflict, replies.count(ReplyType.RESERVED_CONFLICT));
    mark(reservedHeld, replies.count(ReplyType.RESERVED_HELD));
    mark(failed, replies.count(ReplyType.FAILED));
    mark(progressReports, replies.count(ReplyType.PROGRESS));
    mark(
        statuses,
        replies.count(ReplyType.STATUS_NOT_REQUESTED)
            + replies.count(ReplyType.STATUS_PASSED)
            + replies.count(ReplyType.STATUS_ASSIGNED)
            + replies.count(ReplyType.STATUS_CONFLICT)
            + replies.count(ReplyType.STATUS_UNKNOWN));
    if (replies.count(ReplyType.REFUSED) > 0) {
      refusals.forEach((reason, meter) -> mark(meter, replies.refusals(reason)));
    }
  }

  /** Returns the number of answered requests, in total and recently. */
  Traffic traffic() {
    Traffic.Count refused =
        refusals.values().stream()
            .map(ServerMetrics::count)
            .reduce(new Traffic.Count(0, 0), Traffic.Count::plus);
    Traffic.Count conflicting = count(conflicts);
    return new Traffic(
        count(begins),
        count(passed).plus(count(assigned)).plus(count(voted)).plus(conflicting).plus(refused),
        conflicting,
        refused);
  }

  private static Traffic.Count count(Meter meter) {
    return new Traffic.Count(meter.getCount(), meter.getOneMinuteRate());
  }

  public void handshakeTimedOut() {
    handshakesTimedOut.mark();
  }

  public void handshakeDisplaced() {
    handshakesDisplaced.mark();
  }

  public void crowded() {
    crowded.mark();
  }

  public void tlsFailed() {
    tlsFailed.mark();
  }

  void paused() {
    paused.mark();
  }

  public void dawdled() {
    dawdled.mark();
  }

  public void unended() {
    unended.mark();
  }

  /** Records that a frame has been checked and executed and its answers written. */
  void frameDone(long durationNanos) {
    frames.update(durationNanos);
  }

  /** Records the time between reading requests and passing their answers to the socket. */
  void sent(long durationNanos) {
    sends.update(durationNanos);
  }

  void roundEnded(long durationNanos) {
    rounds.update(durationNanos);
  }

  /** Counts a refused frame of a tenant; no reason = limit of the connection. */
  void refused(Tenant tenant, Optional<Admission.Reason> reason) {
    tenant.refuse();
    reason.map(refusedFor::get).orElse(refusedForConnection).mark();
    refusedByTenant
        .computeIfAbsent(
            tenant.name(), name -> registry.meter(PREFIX + "tenants." + name + ".refused"))
        .mark();
  }

  void malformed() {
    malformed.mark();
  }

  public void suspicious() {
    suspicious.mark();
  }

  public void unowned() {
    unowned.mark();
  }

  void silenced() {
    silenced.mark();
  }

  void overloaded() {
    overloaded.mark();
  }

  private static void mark(Meter meter, int events) {
    if (events > 0) {
      meter.mark(events);
    }
  }

  private static String nameOf(Enum<?> reason) {
    return reason.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
