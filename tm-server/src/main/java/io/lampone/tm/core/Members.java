package io.lampone.tm.core;

import io.lampone.protocol.tm.Member;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * The registry of live transaction manager processes, primary and backups. Correctness does not
 * depend on it; it only shows which processes can be asked. A dead process remains registered for a
 * while; futures complete on any thread.
 */
public interface Members {

  /**
   * Registers this process, again if it is registered. To be called repeatedly, because a lost
   * session removes the entry.
   *
   * @return the wall clock of the registry at the write, in ms since 1970; empty if it has none
   */
  CompletableFuture<OptionalLong> join(Member me);

  /** Removes this process from the registry. */
  CompletableFuture<Void> leave(Member me);

  /** Returns all members by age, without entries that cannot be decoded. */
  CompletableFuture<List<Member>> list();

  /** Returns the same as of a second ago or later: what clients ask for costs a read a second. */
  default CompletableFuture<List<Member>> recent() {
    return list();
  }

  /**
   * Returns the lead of each other member's wall clock over the registry's clock when it last
   * joined, in ms, less the transit time of its message. Omits members without this value, and
   * those beyond {@link ClockJudgment#MAX_WITNESSES}.
   */
  CompletableFuture<List<Long>> clocksOfOthers(Member me);
}
