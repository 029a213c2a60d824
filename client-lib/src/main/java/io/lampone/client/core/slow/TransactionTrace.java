package io.lampone.client.core.slow;

import io.lampone.client.core.step.Step;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/** Durations of the phases of one transaction, and the intents that it has met. Thread-safe. */
public final class TransactionTrace {

  /** Measured phases. Scans and the application's own time are the remainder. */
  public enum Phase {
    /** Begin; not part of the transaction's own time. */
    BEGIN,
    /** Gets, and writes until they are buffered; early flushes included. */
    OPERATIONS,
    /** Reads of rows; part of the operations. */
    READ,
    /** Resolution of intents that reads have met; part of the operations. */
    RESOLVE,
    /** Flushes of the write buffer before the commit; part of the operations. */
    EARLY_FLUSH,
    /** Flushes of the write buffer at commit. */
    FLUSH,
    /** Attempts to commit in one region. */
    ONE_REGION,
    /** Validation by the transaction manager. */
    VALIDATE,
    /** Certification of reads. */
    CERTIFY,
    /** Compare-and-set on the leader. */
    LEADER,
    /** Commits as a whole. */
    COMMIT,
    /** Reads of the fast path, which have no trace. */
    FAST_READ,
    /** Writes of the fast path, which have no trace. */
    FAST_WRITE
  }

  /** Receiver of all durations. */
  @FunctionalInterface
  public interface Sink {

    /** Receives the duration of one call of a phase. */
    void took(Phase phase, long nanos);
  }

  /** Trace that measures nothing. */
  public static final TransactionTrace NONE = new TransactionTrace(false, (phase, nanos) -> {});

  private final boolean enabled;
  private final Sink sink;
  private final AtomicLongArray nanos = new AtomicLongArray(Phase.values().length);
  private final AtomicInteger intents = new AtomicInteger();

  private TransactionTrace(boolean enabled, Sink sink) {
    this.enabled = enabled;
    this.sink = sink;
  }

  /** Returns the trace of a transaction that begins. */
  public static TransactionTrace begin(Sink sink) {
    return new TransactionTrace(true, sink);
  }

  /** Runs a machine, and adds its duration to a phase. */
  public <T> Step<T> measure(Phase phase, Supplier<Step<T>> machine) {
    return enabled
        ? timed(
            machine,
            took -> {
              nanos.addAndGet(phase.ordinal(), took);
              sink.took(phase, took);
            })
        : Step.begin(begun -> machine.get());
  }

  static <T> Step<T> timed(Supplier<Step<T>> machine, LongConsumer nanos) {
    return Step.begin(
        begun ->
            machine
                .get()
                .next(
                    event -> {
                      nanos.accept(event.nowNanos() - begun.nowNanos());
                      return event.end();
                    }));
  }

  /** Adds intents that a read has met. */
  public void met(int count) {
    if (enabled) {
      intents.addAndGet(count);
    }
  }

  boolean isEnabled() {
    return enabled;
  }

  /** Returns the duration of a phase so far, in nanoseconds. */
  long nanos(Phase phase) {
    return nanos.get(phase.ordinal());
  }

  /** Returns the number of intents met so far. */
  int intents() {
    return intents.get();
  }
}
