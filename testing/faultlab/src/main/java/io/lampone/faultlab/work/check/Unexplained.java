package io.lampone.faultlab.work.check;

import io.lampone.client.LamponeException;
import io.lampone.client.RetryAdvice;
import java.util.Optional;

/**
 * Failures that no fault of the lab explains: data that cannot have been written, and permanent
 * refusals of requests that were valid a moment ago. Not included: the death of a server, a
 * snapshot that is too old, a conflict.
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

  /** Returns the same for a commit, which reports all failures as an IOException. */
  public static Optional<String> ofCommit(Exception thrown) {
    return thrown instanceof RuntimeException ? Optional.of(WORD + thrown) : of(thrown);
  }
}
