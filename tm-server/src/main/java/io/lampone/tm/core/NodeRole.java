package io.lampone.tm.core;

import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.Transfer;
import io.lampone.tm.core.status.NodeMetrics;
import io.lampone.tm.core.status.NodeStatus;
import io.lampone.tm.core.transfer.TransferLink;
import io.lampone.tm.core.transfer.TransferResult;
import io.lampone.tm.core.transfer.TransferSource;
import io.lampone.tm.core.validation.BatchOutcome;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Role of a node; {@link ManagerNode} lists the transitions. The default of each method is to
 * refuse.
 */
sealed interface NodeRole permits Backup, Primary, Retired, ValidatorRole {

  /** Returns the role's name. */
  NodeMetrics.Name name();

  /** Performs due work. */
  default void tick() {}

  /** Executes requests; answers go to {@code replies}. */
  default BatchOutcome handle(RequestCursor requests, ReplyWriter replies) {
    return BatchOutcome.SILENT;
  }

  /** The wall clock has been compared with others. */
  default void clockCompared() {}

  /** Returns the record of the epoch if this node may answer for it at this moment. */
  default Optional<ManagerRecord> leading() {
    return Optional.empty();
  }

  /** See {@link ManagerNode#verifyEpoch}. */
  default CompletableFuture<Void> verifyEpoch() {
    return notPrimary();
  }

  /** See {@link ManagerNode#advanceSafePoint}. */
  default CompletableFuture<Long> advanceSafePoint(long timestamp) {
    return notPrimary();
  }

  /** See {@link ManagerNode#handOver}. */
  default CompletableFuture<TransferResult> handOver(
      String successor, String address, TransferLink.Connector connector) {
    return notPrimary();
  }

  /** See {@link ManagerNode#asPrimary}. */
  default <T> T asPrimary(Function<Primary, T> action) {
    throw new IllegalStateException("not the primary at this moment; ask the primary");
  }

  /** Processes a part of a transfer. */
  default void receive(TransferSource from, Transfer part) {
    from.reply(new Transfer.Reply.Refused("not a backup"));
  }

  /** Reports that the connection of a primary has ended. */
  default void left(TransferSource from) {}

  /** Returns true if the role has tables from a hand-over. */
  default boolean keepsReceivedState() {
    return false;
  }

  /** See {@link ManagerNode#acceptRecord}. */
  default String acceptRecord() {
    throw new IllegalStateException("not a backup: a primary writes the record itself");
  }

  /** Gives back what the role holds, and retires the node. */
  void release();

  /** Ends the role: fails pending calls. */
  default void abandon() {}

  /** Returns the metrics of a node in this role. */
  default NodeMetrics metrics(long storeSilentNanos, boolean draining, String clockComplaint) {
    return NodeMetrics.idle(name(), storeSilentNanos, draining, trustsRecord(), clockComplaint);
  }

  /** Returns true if the record is trusted or no longer matters. */
  default boolean trustsRecord() {
    return true;
  }

  /** Returns the record as last read or written; empty if there was none. */
  default Optional<ManagerRecord> record() {
    return Optional.empty();
  }

  /** Returns the tables of a primary. */
  default Optional<NodeStatus.Tables> tables() {
    return Optional.empty();
  }

  private static <T> CompletableFuture<T> notPrimary() {
    return CompletableFuture.failedFuture(new IllegalStateException("not the primary"));
  }
}
