package io.lampone.coprocessor.core.fastpath;

import io.lampone.coprocessor.core.intent.CellWrite;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.FastReply.Outcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Plan for one row's part of a write that is committed at birth, before the version is drawn:
 * either an outcome that needs no version, or effects that need one.
 */
public final class FastPlan {

  private final @Nullable Outcome outcome;
  private final @Nullable FastEffects effects;
  private final long highestCommit;
  private final long expiry;

  private FastPlan(
      @Nullable Outcome outcome, @Nullable FastEffects effects, long highestCommit, long expiry) {
    this.outcome = outcome;
    this.effects = effects;
    this.highestCommit = highestCommit;
    this.expiry = expiry;
  }

  /** Returns a plan that writes nothing. */
  static FastPlan ended(Outcome outcome) {
    return new FastPlan(outcome, null, 0, FamilyRetention.NEVER);
  }

  /**
   * Returns a plan to write above {@code highestCommit} and not above {@code expiry}, when a value
   * that it depends on expires.
   */
  static FastPlan apply(FastEffects effects, long highestCommit, long expiry) {
    return new FastPlan(null, effects, highestCommit, expiry);
  }

  /** Returns the outcome if nothing is to be written; null if the plan needs a version. */
  @Nullable Outcome outcome() {
    return outcome;
  }

  /** Returns true if the operation's own cells were found. */
  boolean isAppliedBefore() {
    return outcome != null && outcome.kind() == FastReply.Kind.APPLIED_BEFORE;
  }

  /** Returns the effects to write; null if there are none. */
  @Nullable FastEffects effects() {
    return effects;
  }

  long highestCommit() {
    return highestCommit;
  }

  /** Returns the highest commit timestamp found in the row, as far as it matters. */
  long highestStored() {
    return outcome == null ? highestCommit : outcome.version();
  }

  long expiry() {
    return expiry;
  }

  /** Result for a row of a request: the outcome for the sender, and the cells. */
  public record Written(Outcome outcome, List<CellWrite> writes) {
    public Written {
      writes = List.copyOf(writes);
    }
  }
}
