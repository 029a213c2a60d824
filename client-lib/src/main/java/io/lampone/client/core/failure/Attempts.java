package io.lampone.client.core.failure;

import io.lampone.client.core.FastPathStore.End;
import io.lampone.client.core.FastPathStore.End.Lost;
import io.lampone.client.core.FastPathStore.End.NotExecuted;
import io.lampone.protocol.request.Refusal;

/** Remedies after the end of one attempt. */
public final class Attempts {

  private Attempts() {}

  /** Returns the reason why an attempt got no reply. */
  public static RuntimeException failure(End end) {
    if (end instanceof NotExecuted notExecuted) {
      return notExecuted.why();
    }
    if (end instanceof Lost lost) {
      return lost.why();
    }
    throw new IllegalStateException("an attempt that was answered has not failed, end=" + end);
  }

  /**
   * Returns true if the same operation may be sent again. Failures of HBase may be temporary, but
   * denials are not; a refusal by our code contains its advice.
   */
  public static boolean mayRepeat(RuntimeException failure) {
    if (failure instanceof StoreRefusedException refused) {
      Refusal.Advice advice = refused.refusal().code().advice();
      return advice == Refusal.Advice.SAME_REQUEST || advice == Refusal.Advice.LOCATE_AGAIN;
    }
    return failure instanceof StoreUnavailableException && !StoreDeniedException.isSaidBy(failure);
  }

  /**
   * Returns the mark that the server requires of a further attempt, if it refused this one for a
   * mark older than the safe point or than the opening of the region; else 0.
   */
  public static long leastMark(RuntimeException failure) {
    return failure instanceof StoreRefusedException refused
            && (refused.refusal().code() == Refusal.Code.BELOW_SAFE_POINT
                || refused.refusal().code() == Refusal.Code.NOT_READY)
        ? refused.refusal().winnerCommitTimestamp()
        : 0;
  }

  /** Returns true if the operation may have gone to a server without the region. */
  public static boolean maybeElsewhere(RuntimeException failure) {
    return !(failure instanceof StoreRefusedException refused)
        || refused.refusal().code().advice() == Refusal.Advice.LOCATE_AGAIN;
  }
}
