package io.lampone.tm.net;

import com.codahale.metrics.Histogram;
import com.codahale.metrics.Meter;
import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.WireReply;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Counts what the server does. */
final class ServerMetrics {

  private static final String PREFIX = "lampone.tm.";

  private final Meter begins;
  private final Meter passed;
  private final Meter conflicts;
  private final Meter statuses;
  private final Meter failed;
  private final Meter malformed;
  private final Meter suspicious;
  private final Meter silenced;
  private final Meter overloaded;
  private final Meter handshakesTimedOut;
  private final Meter handshakesDisplaced;
  private final Meter tlsFailed;
  private final Histogram batchSizes;
  private final Map<Validator.Reason, Meter> refusals = new EnumMap<>(Validator.Reason.class);

  private final Map<Handshake.Reason, Meter> rejections = new EnumMap<>(Handshake.Reason.class);

  ServerMetrics(MetricRegistry registry) {
    for (Handshake.Reason reason : Handshake.Reason.values()) {
      rejections.put(reason, registry.meter(PREFIX + "handshakes.rejected." + nameOf(reason)));
    }
    handshakesTimedOut = registry.meter(PREFIX + "handshakes.timed-out");
    handshakesDisplaced = registry.meter(PREFIX + "handshakes.displaced");
    tlsFailed = registry.meter(PREFIX + "handshakes.tls-failed");
    begins = registry.meter(PREFIX + "begins");
    passed = registry.meter(PREFIX + "validations.passed");
    conflicts = registry.meter(PREFIX + "validations.conflict");
    statuses = registry.meter(PREFIX + "statuses");
    failed = registry.meter(PREFIX + "failed");
    malformed = registry.meter(PREFIX + "connections.malformed");
    suspicious = registry.meter(PREFIX + "connections.suspicious");
    silenced = registry.meter(PREFIX + "batches.silenced");
    overloaded = registry.meter(PREFIX + "batches.overloaded");
    batchSizes = registry.histogram(PREFIX + "batches.size");
    for (Validator.Reason reason : Validator.Reason.values()) {
      refusals.put(reason, registry.meter(PREFIX + "validations.refused." + nameOf(reason)));
    }
  }

  void rejected(Handshake.Reason reason) {
    rejections.getOrDefault(reason, failed).mark();
  }

  void answered(List<WireReply> replies) {
    batchSizes.update(replies.size());
    for (WireReply reply : replies) {
      meterOf(reply).mark();
    }
  }

  void handshakeTimedOut() {
    handshakesTimedOut.mark();
  }

  void handshakeDisplaced() {
    handshakesDisplaced.mark();
  }

  void tlsFailed() {
    tlsFailed.mark();
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

  private Meter meterOf(WireReply reply) {
    if (reply instanceof WireReply.Begun) {
      return begins;
    }
    if (reply instanceof WireReply.StatusIs) {
      return statuses;
    }
    if (reply instanceof WireReply.Validated validated) {
      return meterOf(validated.validation());
    }
    return failed;
  }

  private Meter meterOf(Validation validation) {
    if (validation instanceof Validation.Passed) {
      return passed;
    }
    return validation instanceof Validation.Refused refused
        ? refusals.getOrDefault(refused.reason(), failed)
        : conflicts;
  }

  private static String nameOf(Enum<?> reason) {
    return reason.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
