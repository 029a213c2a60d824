package io.lampone.client.hbase;

import io.lampone.client.TransactionOutcome;
import io.lampone.client.fastpath.AsyncFastPath;
import io.lampone.client.fastpath.FastPathId;
import io.lampone.protocol.trust.Proof;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.TableName;

/** The fast path on HBase. */
public final class HBaseFastPath implements AsyncFastPath {

  private final FastPathParts parts;
  private final HBaseTransaction.Context context;
  private final boolean inRealTimeOrder;
  private final Supplier<CompletableFuture<Void>> openness;

  /**
   * @param openness fails if the client has been closed
   */
  public HBaseFastPath(
      FastPathParts parts,
      HBaseTransaction.Context context,
      Supplier<CompletableFuture<Void>> openness) {
    this(parts, context, openness, false);
  }

  private HBaseFastPath(
      FastPathParts parts,
      HBaseTransaction.Context context,
      Supplier<CompletableFuture<Void>> openness,
      boolean inRealTimeOrder) {
    this.parts = parts;
    this.context = context;
    this.openness = openness;
    this.inRealTimeOrder = inRealTimeOrder;
  }

  @Override
  public HBaseFastPathTable table(TableName name) {
    return new HBaseFastPathTable(this, name);
  }

  @Override
  public HBaseFastPath strict() {
    return new HBaseFastPath(parts, context, openness, true);
  }

  @Override
  public CompletableFuture<TransactionOutcome> outcome(FastPathId id) {
    return openness
        .get()
        .thenCompose(
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
        .handle(
            (fate, failure) -> {
              if (failure != null) {
                throw new CompletionException(FailureTranslator.translate(failure, 0));
              }
              if (fate.applied()) {
                return new TransactionOutcome.Committed(fate.timestamp());
              }
              // Below the safe point its version may have been collected.
              return id.above() < fate.timestamp()
                  ? new TransactionOutcome.TooOld()
                  : new TransactionOutcome.Aborted();
            });
  }

  FastPathParts parts() {
    return parts;
  }

  HBaseTransaction.Context context() {
    return context;
  }

  /**
   * Completes when an operation may be sent. In real-time order that is when the transaction
   * manager has issued a timestamp: it is above everything that was committed before, and the mark.
   */
  CompletableFuture<Void> ready() {
    CompletableFuture<Void> open = openness.get();
    return inRealTimeOrder
        ? open.thenCompose(ready -> parts.oracle().begin())
            .thenAccept(begin -> parts.session().began(begin))
        : open;
  }
}
