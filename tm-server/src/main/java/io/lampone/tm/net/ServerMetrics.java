package io.lampone.tm.net;

import com.codahale.metrics.Histogram;
import com.codahale.metrics.Meter;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.SlidingWindowReservoir;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.ReplyType;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.tm.command.Traffic;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** Counts what the server does. */
final class ServerMetrics {

  private static final String PREFIX = "lampone.tm.";

  private static final int BATCH_SIZES_REMEMBERED = 1024;

  private final Meter begins;
  private final Meter passed;
  private final Meter conflicts;
  private final Meter statuses;
  private final Meter failed;
  private final Meter malformed;
  private final Meter suspicious;
  private final Meter silenced;
  private final Meter overloaded;
  private final Histogram batchSizes;
  private final Map<Validator.Reason, Meter> refusals = new EnumMap<>(Validator.Reason.class);

  private final Map<Handshake.Reason, Meter> rejections = new EnumMap<>(Handshake.Reason.class);

  ServerMetrics(MetricRegistry registry) {
    for (Handshake.Reason reason : Handshake.Reason.values()) {
      rejections.put(reason, registry.meter(PREFIX + "handshakes.rejected." + nameOf(reason)));
    }
    begins = registry.meter(PREFIX + "begins");
    passed = registry.meter(PREFIX + "validations.passed");
    conflicts = registry.meter(PREFIX + "validations.conflict");
    statuses = registry.meter(PREFIX + "statuses");
    failed = registry.meter(PREFIX + "failed");
    malformed = registry.meter(PREFIX + "connections.malformed");
    suspicious = registry.meter(PREFIX + "connections.suspicious");
    silenced = registry.meter(PREFIX + "batches.silenced");
    overloaded = registry.meter(PREFIX + "batches.overloaded");
    // The default reservoir makes objects for every value.
    batchSizes =
        registry.histogram(
            PREFIX + "batches.size",
            () -> new Histogram(new SlidingWindowReservoir(BATCH_SIZES_REMEMBERED)));
    for (Validator.Reason reason : Validator.Reason.values()) {
      refusals.put(reason, registry.meter(PREFIX + "validations.refused." + nameOf(reason)));
    }
  }

  void rejected(Handshake.Reason reason) {
    rejections.getOrDefault(reason, failed).mark();
  }

  /** Counts a frame of replies that leaves; one step for each kind of reply in it. */
  void answered(ReplyWriter replies) {
    batchSizes.update(replies.count());
    mark(begins, replies.count(ReplyType.BEGUN));
    mark(passed, replies.count(ReplyType.PASSED));
    mark(conflicts, replies.count(ReplyType.CONFLICT));
    mark(failed, replies.count(ReplyType.FAILED));
    mark(
        statuses,
        replies.count(ReplyType.STATUS_NOT_REQUESTED)
            + replies.count(ReplyType.STATUS_PASSED)
            + replies.count(ReplyType.STATUS_CONFLICT)
            + replies.count(ReplyType.STATUS_UNKNOWN));
    if (replies.count(ReplyType.REFUSED) > 0) {
      refusals.forEach((reason, meter) -> mark(meter, replies.refusals(reason)));
    }
  }

  /** What has been answered so far, and lately. */
  Traffic traffic() {
    Traffic.Count refused =
        refusals.values().stream()
            .map(ServerMetrics::count)
            .reduce(new Traffic.Count(0, 0), Traffic.Count::plus);
    Traffic.Count conflicting = count(conflicts);
    return new Traffic(
        count(begins), count(passed).plus(conflicting).plus(refused), conflicting, refused);
  }

  private static Traffic.Count count(Meter meter) {
    return new Traffic.Count(meter.getCount(), meter.getOneMinuteRate());
  }

  void malformed() {
    malformed.mark();
  }

  void suspicious() {
    suspicious.mark();
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
