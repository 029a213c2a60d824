package io.lampone.tm.metrics;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import com.fasterxml.jackson.core.JsonGenerator;
import io.lampone.protocol.tm.ClientWork;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;

/**
 * Sum of what clients have reported of their work to this process ({@link ClientWork}). A report
 * whose reply is lost is repeated, so counts may be too high by a second's work of a client.
 * Thread-safe.
 */
public final class ClientWorkTotals {

  private static final String EVENTS = "lampone.tm.clients.transactions.";
  private static final String PHASES = "lampone.tm.clients.phase.seconds.";

  private final Counter[] events = new Counter[ClientWork.EVENTS.size()];
  private final Durations[] phases = new Durations[ClientWork.PHASES.size()];

  /** Durations of a phase by bucket. */
  static final class Durations implements Gauge<long[]> {
    private final AtomicLongArray buckets = new AtomicLongArray(ClientWork.BOUNDS + 1);

    @Override
    public long[] getValue() {
      return IntStream.range(0, buckets.length()).mapToLong(buckets::get).toArray();
    }

    long bucket(int index) {
      return buckets.get(index);
    }
  }

  /** Registers the totals. */
  public ClientWorkTotals(MetricRegistry registry) {
    for (int i = 0; i < events.length; i++) {
      events[i] = registry.counter(EVENTS + ClientWork.EVENTS.get(i));
    }
    for (int i = 0; i < phases.length; i++) {
      phases[i] = (Durations) registry.gauge(PHASES + ClientWork.PHASES.get(i), Durations::new);
    }
  }

  /** Adds a reported count; ignores unknown indexes. */
  public void add(int index, int count) {
    if (index < events.length) {
      events[index].inc(count);
    } else if (index >= ClientWork.FIRST_PHASE && index < ClientWork.SIZE) {
      int phase = (index - ClientWork.FIRST_PHASE) / ClientWork.BUCKETS;
      int bucket = (index - ClientWork.FIRST_PHASE) % ClientWork.BUCKETS;
      if (bucket <= ClientWork.BOUNDS) {
        phases[phase].buckets.addAndGet(bucket, count);
      }
    }
  }

  /** Writes the totals: events by name, and the buckets of each phase that has occurred. */
  public void writeTo(JsonGenerator json) throws IOException {
    json.writeObjectFieldStart("clientWork");
    json.writeObjectFieldStart("transactions");
    for (int i = 0; i < events.length; i++) {
      json.writeNumberField(ClientWork.EVENTS.get(i), events[i].getCount());
    }
    json.writeEndObject();
    json.writeObjectFieldStart("phases");
    for (int i = 0; i < phases.length; i++) {
      json.writeArrayFieldStart(ClientWork.PHASES.get(i));
      for (int bucket = 0; bucket <= ClientWork.BOUNDS; bucket++) {
        json.writeNumber(phases[i].bucket(bucket));
      }
      json.writeEndArray();
    }
    json.writeEndObject();
    json.writeEndObject();
  }
}
