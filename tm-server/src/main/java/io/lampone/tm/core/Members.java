package io.lampone.tm.core;

import io.lampone.protocol.tm.Member;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * The list of transaction manager processes that are alive, primary and backups. Nothing that is
 * right or wrong depends on it: it says whom to ask. A process that has died stays in it for a
 * while; futures complete on any thread.
 */
public interface Members {

  /**
   * Puts this process on the list, once more if it has been on it: to be called again and again,
   * for a lost session takes it off.
   *
   * @return what the clock of the list said when it was written, in ms since 1970; empty if there
   *     is none
   */
  CompletableFuture<OptionalLong> join(Member me);

  /** Takes this process off the list. */
  CompletableFuture<Void> leave(Member me);

  /** Everybody on the list, by age; entries that cannot be understood are left out. */
  CompletableFuture<List<Member>> list();

  /**
   * Returns how far the wall clock of each other member was ahead of the clock of the list when it
   * joined last, in ms, less the time that its message took. Members without this value are left
   * out, and those beyond {@link ClockJudgment#MAX_WITNESSES}.
   */
  CompletableFuture<List<Long>> clocksOfOthers(Member me);
}
