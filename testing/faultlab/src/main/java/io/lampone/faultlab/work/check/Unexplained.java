package io.lampone.faultlab.work.check;

import io.lampone.client.LamponeException;
import io.lampone.client.RetryAdvice;
import java.util.Optional;

/**
 * Failures that no fault of the lab explains: data that cannot have been written, and requests that
 * are refused for ever though they made sense a moment ago. A server that dies, a snapshot that is
 * too old, a conflict are none.
 */
public final class Unexplained {

  /** Beginning of the text of a violation of this kind. */
  static final String WORD = "no fault explains it: ";

  private Unexplained() {}

  /** Returns the observation if no fault explains it. */
  public static Optional<String> of(Throwable thrown) {
    for (Throwable each = thrown; each != null; each = each.getCause()) {
      if (each instanceof LamponeException known && known.retryAdvice() == RetryAdvice.NEVER) {
        return Optional.of(WORD + thrown + (each == thrown ? "" : ", caused by " + each));
      }
    }
    return Optional.empty();
  }

  /** The same of a commit, which promises more: whatever goes wrong is told by an IOException. */
  public static Optional<String> ofCommit(Exception thrown) {
    return thrown instanceof RuntimeException ? Optional.of(WORD + thrown) : of(thrown);
  }
}
