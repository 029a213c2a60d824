package io.lampone.tm.core;

import io.lampone.protocol.tm.Member;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** The registry of a single transaction manager. */
public final class NoMembers implements Members {

  @Override
  public CompletableFuture<OptionalLong> join(Member me) {
    return CompletableFuture.completedFuture(OptionalLong.empty());
  }

  @Override
  public CompletableFuture<Void> leave(Member me) {
    return CompletableFuture.allOf();
  }

  @Override
  public CompletableFuture<List<Member>> list() {
    return CompletableFuture.completedFuture(List.of());
  }

  @Override
  public CompletableFuture<List<Long>> clocksOfOthers(Member me) {
    return CompletableFuture.completedFuture(List.of());
  }
}
