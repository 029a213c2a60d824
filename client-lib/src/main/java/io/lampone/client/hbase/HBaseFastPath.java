package io.lampone.client.hbase;

import io.lampone.client.TransactionOutcome;
import io.lampone.client.core.step.Step;
import io.lampone.client.fastpath.AsyncFastPath;
import io.lampone.client.fastpath.AsyncFastPathTable;
import io.lampone.client.fastpath.FastPathId;
import io.lampone.protocol.trust.Proof;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.TableName;

/** The fast path on HBase. */
public final class HBaseFastPath implements AsyncFastPath {

  private final FastPathParts parts;
  private final HBaseTransaction.Context context;
  private final boolean inRealTimeOrder;
  private final Supplier<Step<Void>> openness;

  /**
   * @param openness fails if the client has been closed
   */
  public HBaseFastPath(
      FastPathParts parts, HBaseTransaction.Context context, Supplier<Step<Void>> openness) {
    this(parts, context, openness, false);
  }

  private HBaseFastPath(
      FastPathParts parts,
      HBaseTransaction.Context context,
      Supplier<Step<Void>> openness,
      boolean inRealTimeOrder) {
    this.parts = parts;
    this.context = context;
    this.openness = openness;
    this.inRealTimeOrder = inRealTimeOrder;
  }

  @Override
  public AsyncFastPathTable table(TableName name) {
    return new HBaseAsyncFastPathTable(machines(name), context.access().driver());
  }

  /** The same table, as machines. */
  HBaseFastPathTable machines(TableName name) {
    return new HBaseFastPathTable(this, name);
  }

  @Override
  public HBaseFastPath strict() {
    return new HBaseFastPath(parts, context, openness, true);
  }

  @Override
  public CompletableFuture<TransactionOutcome> outcome(FastPathId id) {
    return context.access().driver().start(finding(id));
  }

  /** See {@link #outcome}. */
  Step<TransactionOutcome> finding(FastPathId id) {
    return openness
        .get()
        .then(
            open ->
                parts
                    .fates()
                    .find(
                        id.table(),
                        id.row(),
                        id.operation(),
                        id.above(),
                        Proof.NONE,
                        parts.deadlineNanos()))
        .next(
            found -> {
              if (found.failure() != null) {
                return Step.failed(FailureTranslator.translate(found.failure(), 0));
              }
              if (found.value().applied()) {
                return Step.done(new TransactionOutcome.Committed(found.value().timestamp()));
              }
              // Below the safe point its version may have been collected.
              return Step.done(
                  id.above() < found.value().timestamp()
                      ? new TransactionOutcome.TooOld()
                      : new TransactionOutcome.Aborted());
            });
  }

  FastPathParts parts() {
    return parts;
  }

  HBaseTransaction.Context context() {
    return context;
  }

  /**
   * Is done when an operation may be sent. In real-time order that is when the transaction manager
   * has issued a timestamp: it is above everything that was committed before, and the mark.
   */
  Step<Void> ready() {
    Step<Void> open = openness.get();
    return inRealTimeOrder
        ? open.then(ready -> parts.manager().begin())
            .then(
                begin -> {
                  parts.session().began(begin);
                  return Step.done();
                })
        : open;
  }
}
