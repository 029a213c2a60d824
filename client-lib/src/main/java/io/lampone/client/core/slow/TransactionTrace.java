package io.lampone.client.core.slow;

import io.lampone.client.core.step.Step;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Supplier;

/** Durations of the phases of one transaction, and the intents that it has met. Thread-safe. */
public final class TransactionTrace {

  /** Measured phases. Scans and the application's own time are the remainder. */
  public enum Phase {
    /** Gets, and writes until they are buffered; early flushes included. */
    OPERATIONS,
    /** Resolution of intents that reads have met; part of the operations. */
    RESOLVE,
    /** Flushes of the write buffer, early or at commit. */
    FLUSH,
    /** Attempts to commit in one region. */
    ONE_REGION,
    /** Validation by the transaction manager. */
    VALIDATE,
    /** Certification of reads. */
    CERTIFY,
    /** Compare-and-set on the leader. */
    LEADER
  }

  /** Trace that measures nothing. */
  public static final TransactionTrace NONE = new TransactionTrace(false);

  private final boolean enabled;
  private final AtomicLongArray nanos = new AtomicLongArray(Phase.values().length);
  private final AtomicInteger intents = new AtomicInteger();

  private TransactionTrace(boolean enabled) {
    this.enabled = enabled;
  }

  /** Returns the trace of a transaction that begins. */
  public static TransactionTrace begin() {
    return new TransactionTrace(true);
  }

  /** Runs a machine, and adds its duration to a phase. */
  public <T> Step<T> measure(Phase phase, Supplier<Step<T>> machine) {
    return enabled
        ? Step.begin(
            begun ->
                machine
                    .get()
                    .next(
                        event -> {
                          nanos.addAndGet(phase.ordinal(), event.nowNanos() - begun.nowNanos());
                          return event.end();
                        }))
        : Step.begin(begun -> machine.get());
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
