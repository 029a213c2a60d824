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
 * Role of a node; {@link ManagerNode} lists the transitions. What a role cannot do it refuses,
 * which is the default of each method.
 */
sealed interface NodeRole permits Backup, Primary, Retired {

  /** The role's name. */
  NodeMetrics.Name name();

  /** Time has passed. */
  default void tick() {}

  /** Requests have come; the answers go to {@code replies}. */
  default BatchOutcome handle(RequestCursor requests, ReplyWriter replies) {
    return BatchOutcome.SILENT;
  }

  /** The wall clock has been compared with others. */
  default void clockCompared() {}

  /** The record of the epoch that this node may answer for at this moment; empty if it may not. */
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

  /** A part of a transfer has come. */
  default void receive(TransferSource from, Transfer part) {
    from.reply(new Transfer.Reply.Refused("not a backup"));
  }

  /** The connection of a primary has ended. */
  default void left(TransferSource from) {}

  /** Returns true if tables of a hand-over are kept. */
  default boolean keepsReceivedState() {
    return false;
  }

  /** See {@link ManagerNode#acceptRecord}. */
  default String acceptRecord() {
    throw new IllegalStateException("not a backup: a primary writes the record itself");
  }

  /** Gives back what the role holds, and retires the node. */
  void release();

  /** The role has ended: fails the calls that wait for it. */
  default void abandon() {}

  /** Returns the metrics of a node in this role. */
  default NodeMetrics metrics(long storeSilentNanos, boolean draining, String clockComplaint) {
    return NodeMetrics.idle(name(), storeSilentNanos, draining, trustsRecord(), clockComplaint);
  }

  /** Returns true if the record is believed, or does not matter any more. */
  default boolean trustsRecord() {
    return true;
  }

  /** The record as this node has last read or written it; empty if it has not. */
  default Optional<ManagerRecord> record() {
    return Optional.empty();
  }

  /** The tables of a primary. */
  default Optional<NodeStatus.Tables> tables() {
    return Optional.empty();
  }

  private static <T> CompletableFuture<T> notPrimary() {
    return CompletableFuture.failedFuture(new IllegalStateException("not the primary"));
  }
}
