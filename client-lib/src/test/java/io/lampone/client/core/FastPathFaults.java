package io.lampone.client.core;

import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.OperationLookup;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

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
    /** Nothing. */
    NONE,
    /** The call never arrives. */
    LOST_REQUEST,
    /** The call is carried out; its answer never arrives. */
    LOST_REPLY,
    /** The answer never arrives; the call is carried out after the next one. */
    OVERTAKEN,
    /** The answer never arrives; the call is carried out after everything else. */
    LATE,
    /** The region says that it cannot now. */
    NOT_READY,
    /** The region refuses for good. */
    REFUSED
  }

  private final FastPathStore store;
  private final Call call;
  // one for each call of that kind; after the last one all goes well
  private final Iterator<Fault> script;
  final List<Runnable> late = new ArrayList<>();
  // calls that the next one overtakes
  private final List<Runnable> overtaken = new ArrayList<>();
  // runs between the attempts of a client: what others do meanwhile
  Optional<Runnable> betweenAttempts = Optional.empty();

  FastPathFaults(FastPathStore store, Call call, Fault fault, int times) {
    this(store, call, Collections.nCopies(times, fault));
  }

  FastPathFaults(FastPathStore store, Call call, List<Fault> script) {
    this.store = store;
    this.call = call;
    this.script = script.iterator();
  }

  /** All scripts of a length. */
  static List<List<Fault>> scripts(int length) {
    if (length == 0) {
      return List.of(List.of());
    }
    List<List<Fault>> all = new ArrayList<>();
    for (List<Fault> shorter : scripts(length - 1)) {
      for (Fault next : Fault.values()) {
        List<Fault> longer = new ArrayList<>(shorter);
        longer.add(next);
        all.add(longer);
      }
    }
    return all;
  }

  private Fault next(Call made) {
    return made == call && script.hasNext() ? script.next() : Fault.NONE;
  }

  @Override
  public Step<List<List<Bytes>>> regionsOf(String table, List<Bytes> rows, boolean again) {
    return next(Call.REGIONS) != Fault.NONE
        ? Step.failed(new StoreUnavailableException("no answer", null))
        : store.regionsOf(table, rows, again);
  }

  @Override
  public Step<Boolean> mayCommitInOneRegion(String table, List<Bytes> rows) {
    return next(Call.REGIONS) != Fault.NONE
        ? Step.failed(new StoreUnavailableException("no answer", null))
        : store.mayCommitInOneRegion(table, rows);
  }

  @Override
  public Step<List<End>> send(
      String table, List<? extends RegionRequest> requests, long deadlineNanos) {
    Step<List<End>> end = sendOnce(table, requests, deadlineNanos);
    betweenAttempts.ifPresent(Runnable::run);
    return end;
  }

  private Step<List<End>> sendOnce(
      String table, List<? extends RegionRequest> requests, long deadlineNanos) {
    List<Runnable> before = List.copyOf(overtaken);
    overtaken.clear();
    Fault fault = next(kind(requests.get(0)));
    if (fault == Fault.NONE) {
      Step<List<End>> end = store.send(table, requests, deadlineNanos);
      before.forEach(Runnable::run);
      return end;
    }
    Runnable execution =
        () -> {
          Step<List<End>> executed = store.send(table, requests, deadlineNanos);
          assert executed instanceof Step.Ended; // the store in memory has done it
        };
    switch (fault) {
      case LOST_REPLY -> execution.run();
      case OVERTAKEN -> overtaken.add(execution);
      case LATE -> late.add(execution);
      default -> {}
    }
    before.forEach(Runnable::run);
    RuntimeException why = new StoreUnavailableException("no answer in time", null);
    End end = new End.Lost(why);
    if (fault == Fault.NOT_READY || fault == Fault.REFUSED) {
      Refusal.Code code =
          fault == Fault.NOT_READY ? Refusal.Code.NOT_READY : Refusal.Code.TABLE_CHANGING;
      end =
          new End.NotExecuted(
              new StoreRefusedException(table, Refusal.of(code, "refused by a test"), null));
    }
    return Step.done(Collections.nCopies(requests.size(), end));
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
