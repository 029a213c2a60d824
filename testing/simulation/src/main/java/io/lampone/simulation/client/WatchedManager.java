package io.lampone.simulation.client;

import io.lampone.protocol.tm.TransactionManager;
import io.lampone.protocol.tm.Validator;
import io.lampone.simulation.invariant.InvariantChecker;
import io.lampone.simulation.manager.PassingManager;
import io.lampone.simulation.world.World;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Transaction manager of an honest client, which reports refusals as too old. */
final class WatchedManager extends PassingManager {

  private final World world;
  private final InvariantChecker checker;

  /** True time of each begin request, by start timestamp. */
  private final Map<Long, Long> askedNanos = new HashMap<>();

  WatchedManager(TransactionManager manager, World world, InvariantChecker checker) {
    super(manager);
    this.world = world;
    this.checker = checker;
  }

  @Override
  public CompletableFuture<Begin> begin() {
    long now = world.nowNanos();
    return super.begin()
        .thenApply(
            begin -> {
              askedNanos.put(begin.startTimestamp(), now);
              return begin;
            });
  }

  @Override
  public CompletableFuture<Validation> validate(Request request) {
    return super.validate(request)
        .thenApply(
            answer -> {
              Long begun = askedNanos.get(request.startTimestamp());
              if (begun != null
                  && answer instanceof Validation.Refused refused
                  && (refused.reason() == Validator.Reason.BELOW_WATERMARK
                      || refused.reason() == Validator.Reason.FORGOTTEN)) {
                checker.tooOld(request.startTimestamp(), begun);
              }
              return answer;
            });
  }
}
