package io.lampone.coprocessor.core;

import io.lampone.protocol.FastReply;
import io.lampone.protocol.FastReply.Outcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one row's part of a write that is committed at birth comes to, before the version is drawn:
 * either an outcome that needs no version, or effects that wait for one.
 */
public final class FastPlan {

  private final @Nullable Outcome outcome;
  private final @Nullable FastEffects effects;
  private final long highestCommit;

  private FastPlan(@Nullable Outcome outcome, @Nullable FastEffects effects, long highestCommit) {
    this.outcome = outcome;
    this.effects = effects;
    this.highestCommit = highestCommit;
  }

  /** Nothing is written. */
  static FastPlan ended(Outcome outcome) {
    return new FastPlan(outcome, null, 0);
  }

  /** To be written above {@code highestCommit}. */
  static FastPlan apply(FastEffects effects, long highestCommit) {
    return new FastPlan(null, effects, highestCommit);
  }

  /** The outcome of a row on which nothing is to be written; null if it waits for a version. */
  @Nullable Outcome outcome() {
    return outcome;
  }

  /** Whether the operation's own cells were found. */
  boolean isAppliedBefore() {
    return outcome != null && outcome.kind() == FastReply.Kind.APPLIED_BEFORE;
  }

  /** What is to be written; null if nothing is. */
  @Nullable FastEffects effects() {
    return effects;
  }

  long highestCommit() {
    return highestCommit;
  }

  /** A row of a request: what the sender is told, and the cells. */
  public record Written(Outcome outcome, List<CellWrite> writes) {
    public Written {
      writes = List.copyOf(writes);
    }
  }
}
