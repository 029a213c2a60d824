package io.lampone.client.core;

import io.lampone.client.core.FastPathStore.End;
import io.lampone.client.core.FastPathStore.End.Lost;
import io.lampone.client.core.FastPathStore.End.NotExecuted;
import io.lampone.client.core.failure.StoreDeniedException;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.protocol.request.Refusal;

/** Remedies after the end of one attempt. */
final class Attempts {

  private Attempts() {}

  /** Why an attempt was not answered. */
  static RuntimeException failure(End end) {
    if (end instanceof NotExecuted notExecuted) {
      return notExecuted.why();
    }
    if (end instanceof Lost lost) {
      return lost.why();
    }
    throw new IllegalStateException("an attempt that was answered has not failed, end=" + end);
  }

  /**
   * Returns true if the same operation may be sent again. A failure of HBase may pass at any
   * moment, but a denial will be one again; a refusal by our code has its advice.
   */
  static boolean mayRepeat(RuntimeException failure) {
    if (failure instanceof StoreRefusedException refused) {
      Refusal.Advice advice = refused.refusal().code().advice();
      return advice == Refusal.Advice.SAME_REQUEST || advice == Refusal.Advice.LOCATE_AGAIN;
    }
    return failure instanceof StoreUnavailableException && !StoreDeniedException.isSaidBy(failure);
  }

  /**
   * The mark with which the server wants it again, if it was refused for having an older one than
   * the safe point, or the opening of the region; else 0.
   */
  static long leastMark(RuntimeException failure) {
    return failure instanceof StoreRefusedException refused
            && (refused.refusal().code() == Refusal.Code.BELOW_SAFE_POINT
                || refused.refusal().code() == Refusal.Code.NOT_READY)
        ? refused.refusal().winnerCommitTimestamp()
        : 0;
  }

  /** Returns true if the operation may have gone to a server without the region. */
  static boolean maybeElsewhere(RuntimeException failure) {
    return !(failure instanceof StoreRefusedException refused)
        || refused.refusal().code().advice() == Refusal.Advice.LOCATE_AGAIN;
  }
}
