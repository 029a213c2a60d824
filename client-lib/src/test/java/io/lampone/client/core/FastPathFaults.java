package io.lampone.client.core;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.OneRegionCommit;
import io.lampone.protocol.OperationLookup;
import io.lampone.protocol.RegionRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A way to the regions on which calls of one kind go wrong, a number of times. That one attempt is
 * carried out twice is not among it: HBase's client is told not to repeat, and TCP does not.
 */
final class FastPathFaults implements FastPathStore {

  /** What goes wrong. */
  enum Call {
    WRITE,
    ONE_REGION,
    LOOKUP,
    REGIONS
  }

  /** How it goes wrong. */
  enum Fault {
    /** The call never arrives. */
    LOST_REQUEST,
    /** The call is carried out; its answer never arrives. */
    LOST_REPLY,
    /** The answer never arrives; the call is carried out after the next one. */
    OVERTAKEN,
    /** The answer never arrives; the call is carried out after everything else. */
    LATE,
    /** The region says that it cannot now. */
    NOT_READY
  }

  private final FastPathStore store;
  private final Call call;
  private final Fault fault;
  private int left;
  final List<Runnable> late = new ArrayList<>();
  // calls that the next one overtakes
  private final List<Runnable> overtaken = new ArrayList<>();
  // runs between the attempts of a client: what others do meanwhile
  Optional<Runnable> betweenAttempts = Optional.empty();

  FastPathFaults(FastPathStore store, Call call, Fault fault, int times) {
    this.store = store;
    this.call = call;
    this.fault = fault;
    this.left = times;
  }

  @Override
  public CompletableFuture<List<List<Bytes>>> regionsOf(
      String table, List<Bytes> rows, boolean again) {
    return call == Call.REGIONS && left-- > 0
        ? CompletableFuture.failedFuture(new StoreUnavailableException("no answer", null))
        : store.regionsOf(table, rows, again);
  }

  @Override
  public CompletableFuture<Boolean> mayCommitInOneRegion(String table, List<Bytes> rows) {
    return call == Call.REGIONS && left-- > 0
        ? CompletableFuture.failedFuture(new StoreUnavailableException("no answer", null))
        : store.mayCommitInOneRegion(table, rows);
  }

  @Override
  public CompletableFuture<List<End>> send(
      String table, List<? extends RegionRequest> requests, long deadlineNanos) {
    CompletableFuture<List<End>> end = sendOnce(table, requests, deadlineNanos);
    betweenAttempts.ifPresent(Runnable::run);
    return end;
  }

  private CompletableFuture<List<End>> sendOnce(
      String table, List<? extends RegionRequest> requests, long deadlineNanos) {
    List<Runnable> before = List.copyOf(overtaken);
    overtaken.clear();
    if (kind(requests.get(0)) != call || left-- <= 0) {
      CompletableFuture<List<End>> end = store.send(table, requests, deadlineNanos);
      before.forEach(Runnable::run);
      return end;
    }
    Runnable execution = () -> store.send(table, requests, deadlineNanos).join();
    switch (fault) {
      case LOST_REPLY -> execution.run();
      case OVERTAKEN -> overtaken.add(execution);
      case LATE -> late.add(execution);
      default -> {}
    }
    before.forEach(Runnable::run);
    RuntimeException why = new StoreUnavailableException("no answer in time", null);
    End end = new End.Lost(why);
    if (fault == Fault.NOT_READY) {
      end =
          new End.NotExecuted(
              new StoreRefusedException(
                  table,
                  io.lampone.protocol.Refusal.of(
                      io.lampone.protocol.Refusal.Code.NOT_READY, "just opened"),
                  null));
    }
    return CompletableFuture.completedFuture(java.util.Collections.nCopies(requests.size(), end));
  }

  /** Everything that is still on its way arrives. */
  void deliver() {
    overtaken.forEach(Runnable::run);
    late.forEach(Runnable::run);
  }

  private static Call kind(RegionRequest request) {
    if (request instanceof OneRegionCommit) {
      return Call.ONE_REGION;
    }
    return request instanceof OperationLookup ? Call.LOOKUP : Call.WRITE;
  }
}
