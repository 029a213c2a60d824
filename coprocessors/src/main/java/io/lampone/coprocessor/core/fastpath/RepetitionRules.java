package io.lampone.coprocessor.core.fastpath;

import io.lampone.coprocessor.core.fastpath.FastPlan.Written;
import io.lampone.coprocessor.core.fastpath.FencedAttempts.By;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.OperationLookup;
import io.lampone.protocol.request.Refusal;
import java.io.IOException;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Rules for repetitions and look-ups of operations (protocol page, section 8): an earlier attempt
 * may have been executed, here or elsewhere, or may still be. What they report stays true.
 */
final class RepetitionRules {

  private final String user;
  private final FastRegion region;
  private final LongSupplier safePoint;

  /**
   * @param user sender of the request; "" if unknown
   */
  RepetitionRules(String user, FastRegion region, LongSupplier safePoint) {
    this.user = user;
    this.region = region;
    this.safePoint = safePoint;
  }

  /** Excludes first attempts from now on; returns false if there is no room. */
  boolean fenceFirst(OperationId id) {
    return region.fencedAttempts().add(user, id, By.REPETITION);
  }

  /**
   * Fails unless the result of a repetition is certain. It is certain if its id was found.
   * Otherwise it is certain only if an id that was not found does not exist, if no other server has
   * reported it absent for good, and if the first attempt will not be executed after this one.
   *
   * @param mark what its session knew when it sent this repetition
   */
  void requireSure(FastPlan plan, boolean remembered, long above, long mark) {
    if (plan.isAppliedBefore()) {
      return;
    }
    if (above < safePoint.getAsLong()) {
      throw belowSafePoint(above);
    }
    // This repetition may have been delayed while the region was elsewhere, where its sender may
    // have looked up the operation [E4]. If the sender knew of this opening, the repetition
    // precedes any look-up that it could contradict, or that look-up was made here.
    long opened = region.recent().openingUnknownTo(Math.max(mark, above));
    if (opened != 0) {
      throw new Refused(
          new Refusal(
              Refusal.Code.NOT_READY,
              "the region has been opened since the operation was repeated: repeat it with a newer"
                  + " mark, mark="
                  + mark
                  + " leastMark="
                  + opened,
              opened,
              Bytes.EMPTY));
    }
    if (!remembered) {
      throw tooManyInDoubt();
    }
  }

  /**
   * Returns a refusal that carries the clock as new mark. The clock was issued recently; the safe
   * point itself keeps rising and would be outdated when the operation is sent again.
   */
  Refused belowSafePoint(long above) {
    return withNewerMark(
        "the operation could not be found again below the safe point",
        above,
        Math.max(safePoint.getAsLong(), region.clock().current()));
  }

  /** Returns a refusal after which the session takes {@code least} as its mark. */
  static Refused withNewerMark(String why, long above, long least) {
    return new Refused(
        new Refusal(
            Refusal.Code.BELOW_SAFE_POINT,
            why + ": send it with a newer mark, firstMark=" + above + " leastMark=" + least,
            least,
            Bytes.EMPTY));
  }

  private static Refused tooManyInDoubt() {
    return Refused.because(
        Refusal.Code.NOT_READY,
        "too many operations of the region have been in doubt within the hour; come again, or ask"
            + " for the outcome later, limit="
            + FencedAttempts.MAX_OPERATIONS
            + ", and half of it for one user");
  }

  Written lookUp(OperationLookup lookup, StoredRow row) throws IOException {
    long version = FastRules.versionOf(lookup.id(), row, lookup.above());
    if (version != 0) {
      return new Written(Outcome.of(FastReply.Kind.APPLIED_BEFORE, version), List.of());
    }
    long safe = safePoint.getAsLong();
    if (lookup.id().isTransaction() && !lookup.isProved()) {
      // An unproved look-up must end nothing. Below the safe point nothing is left to end.
      if (lookup.startTimestamp() >= safe) {
        throw Refused.because(
            Refusal.Code.UNPROVED,
            "only its owner may end a transaction that has not committed, start="
                + lookup.startTimestamp());
      }
    } else if (!region.fencedAttempts().add(user, lookup.id(), By.LOOKUP)) {
      throw tooManyInDoubt();
    }
    return new Written(Outcome.of(FastReply.Kind.NOT_APPLIED, safe), List.of());
  }
}
