package io.lampone.simulation.client;

import io.lampone.client.core.FastPathStore;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.AsyncRequest;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.simulation.hbase.RegionAnswer;
import io.lampone.simulation.hbase.RegionCalls;
import io.lampone.simulation.world.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The fast path over simulated calls: sends each request once, and returns how it ended. */
final class SimulatedFastStore implements FastPathStore {

  private final RegionCalls calls;

  SimulatedFastStore(RegionCalls calls) {
    this.calls = calls;
  }

  @Override
  public Step<List<List<Bytes>>> regionsOf(String table, List<Bytes> rows, boolean again) {
    if (again) {
      calls.locateAgain();
    }
    List<List<Bytes>> regions = new ArrayList<>();
    int last = -1;
    for (Bytes row : rows) {
      int region = calls.layout().regionOf(Schema.name(table, row));
      if (region != last) {
        regions.add(new ArrayList<>());
        last = region;
      }
      regions.get(regions.size() - 1).add(row);
    }
    return Step.done(regions);
  }

  @Override
  public Step<Boolean> mayCommitInOneRegion(String table, List<Bytes> rows) {
    return Step.done(
        rows.stream()
                .map(row -> calls.layout().regionOf(Schema.name(table, row)))
                .distinct()
                .count()
            == 1);
  }

  @Override
  public Step<List<End>> send(
      String table, List<? extends RegionRequest> requests, long deadlineNanos) {
    List<Step<End>> ends = new ArrayList<>();
    for (RegionRequest request : requests) {
      int region = calls.layout().regionOf(Schema.name(table, request.rows().get(0)));
      ends.add(
          AsyncRequest.step(
                  () ->
                      calls.<FastReply>once(
                          region,
                          false,
                          (served, answer) -> served.fast(calls.user(), request, answer)))
              .map(answer -> end(table, answer)));
    }
    return Step.all(ends);
  }

  private static End end(String table, Optional<RegionAnswer<FastReply>> answer) {
    if (answer.isEmpty()) {
      return new End.Lost(new StoreUnavailableException("no answer", null));
    }
    if (answer.get() instanceof RegionAnswer.Done<FastReply> done) {
      return new End.Answered(done.value());
    }
    if (answer.get() instanceof RegionAnswer.Refusing<FastReply> refusing) {
      Refusal.Code code = refusing.refusal().code();
      StoreRefusedException why = new StoreRefusedException(table, refusing.refusal(), null);
      return code == Refusal.Code.SESSION_UNPROVEN || code == Refusal.Code.INTERNAL
          ? new End.Lost(why)
          : new End.NotExecuted(why);
    }
    return new End.NotExecuted(new StoreUnavailableException("region is not there", null));
  }
}
