package io.lampone.client.core.slow;

import io.lampone.client.core.CommitOutcome;
import io.lampone.client.core.slow.TransactionTrace.Phase;
import java.time.Duration;
import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Writes one line of JSON for each slow transaction. At most one line in {@link #LEAST_PAUSE}, so
 * that a slow cluster does not fill disks; the next line counts the missing ones. Row keys are not
 * written. Thread-safe.
 */
public final class SlowTransactionLog {

  /** Shortest time between two lines. */
  static final Duration LEAST_PAUSE = Duration.ofMillis(100);

  private static final Pattern WORD = Pattern.compile("_(.)");
  private static final double NANOS_PER_MILLI = 1e6;

  private final Duration threshold;
  private final Consumer<String> lines;

  private boolean written;
  private long writtenNanos;
  private long omitted;

  /**
   * @param threshold duration from which on a transaction is written; zero for never
   * @param lines receiver of the lines
   */
  public SlowTransactionLog(Duration threshold, Consumer<String> lines) {
    this.threshold = threshold;
    this.lines = lines;
  }

  /** Returns a trace for a transaction that begins. */
  public TransactionTrace begin(TransactionMetrics metrics) {
    return threshold.isZero() && !metrics.isEnabled()
        ? TransactionTrace.NONE
        : TransactionTrace.begin(metrics);
  }

  /**
   * Ended transaction.
   *
   * @param startTimestamp its snapshot
   * @param tables tables that it has used
   * @param outcome empty if it was abandoned before a commit
   */
  public record Ended(
      long startTimestamp, Collection<String> tables, Optional<CommitOutcome> outcome) {}

  /**
   * Writes a line if the transaction was slow. Never fails: the transaction has ended as it has.
   *
   * @param beganNanos time of its begin, on the monotonic clock
   */
  public void ended(TransactionTrace trace, Ended transaction, long beganNanos, long nowNanos) {
    long took = nowNanos - beganNanos;
    if (!trace.isEnabled() || threshold.isZero() || took < threshold.toNanos()) {
      return;
    }
    long missing;
    synchronized (this) {
      if (written && nowNanos - writtenNanos < LEAST_PAUSE.toNanos()) {
        omitted++;
        return;
      }
      written = true;
      writtenNanos = nowNanos;
      missing = omitted;
      omitted = 0;
    }
    try {
      lines.accept(line(trace, transaction, took, missing));
    } catch (RuntimeException | Error e) { // e.g. an appender's, whose disk is full
      synchronized (this) {
        omitted += missing + 1;
      }
    }
  }

  private static String line(
      TransactionTrace trace, Ended transaction, long tookNanos, long missing) {
    StringJoiner fields = new StringJoiner(",", "{", "}");
    fields.add("\"millis\":" + millis(tookNanos));
    fields.add("\"startTimestamp\":" + transaction.startTimestamp());
    addOutcome(transaction.outcome(), fields);
    for (Phase phase : Phase.values()) {
      if (trace.nanos(phase) > 0) {
        fields.add("\"" + name(phase) + "Millis\":" + millis(trace.nanos(phase)));
      }
    }
    fields.add("\"intentsMet\":" + trace.intents());
    StringJoiner tables = new StringJoiner(",", "[", "]");
    // Names of tables have no character that JSON escapes.
    transaction.tables().forEach(table -> tables.add("\"" + table + "\""));
    fields.add("\"tables\":" + tables);
    if (missing > 0) {
      fields.add("\"omittedBefore\":" + missing);
    }
    return fields.toString();
  }

  private static void addOutcome(Optional<CommitOutcome> outcome, StringJoiner fields) {
    if (outcome.isEmpty()) {
      fields.add("\"outcome\":\"rolled back\"");
    } else if (outcome.get() instanceof CommitOutcome.Committed committed) {
      fields.add("\"outcome\":\"committed\"");
      fields.add("\"commitTimestamp\":" + committed.commitTimestamp());
    } else if (outcome.get() instanceof CommitOutcome.Conflict conflict) {
      fields.add("\"outcome\":\"conflict\"");
      fields.add("\"conflictKind\":\"" + conflict.kind() + "\"");
      fields.add("\"conflictTable\":\"" + conflict.place().table() + "\"");
    } else {
      String kind = outcome.get().getClass().getSimpleName().toLowerCase(Locale.ROOT);
      fields.add("\"outcome\":\"" + kind + "\"");
    }
  }

  /** Returns a name in camel case. */
  private static String name(Phase phase) {
    return WORD.matcher(phase.name().toLowerCase(Locale.ROOT))
        .replaceAll(word -> word.group(1).toUpperCase(Locale.ROOT));
  }

  private static String millis(long nanos) {
    return String.format(Locale.ROOT, "%.3f", nanos / NANOS_PER_MILLI);
  }
}
