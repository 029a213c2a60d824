package io.lampone.faultlab.work.check;

import io.lampone.client.LamponeException;
import io.lampone.client.RetryAdvice;
import java.util.Optional;
import org.apache.hadoop.hbase.DoNotRetryIOException;

/**
 * Failures that no fault of the lab explains: data that cannot have been written, permanent
 * refusals of requests that were valid a moment ago, and errors of the client library itself. Not
 * included: the death of a server, a snapshot that is too old, a conflict.
 */
public final class Unexplained {

  /** Beginning of the text of a violation of this kind. */
  static final String WORD = "no fault explains it: ";

  private static final int MAX_CAUSES = 20;

  private Unexplained() {}

  /** Returns the observation if no fault explains it. */
  public static Optional<String> of(Throwable thrown) {
    Throwable each = thrown;
    for (int i = 0; i < MAX_CAUSES; i++) {
      Throwable cause = each.getCause();
      if (each instanceof LamponeException known
          ? known.retryAdvice() == RetryAdvice.NEVER
          : isInternal(each, each == thrown, cause == null)) {
        Throwable why = each == thrown ? cause : each;
        return Optional.of(WORD + thrown + (why == null ? "" : ", caused by " + why));
      }
      if (cause == null) {
        break;
      }
      each = cause;
    }
    return Optional.empty();
  }

  /**
   * Returns true for an error of the client library: an exception of the Java runtime that wraps no
   * other one. Those of its executors and streams also tell that a connection was closed.
   */
  private static boolean isInternal(Throwable each, boolean isFirst, boolean isLast) {
    return each instanceof Error
        || isFirst && each instanceof DoNotRetryIOException && isOf(each, "io\\.lampone\\..*")
        || isLast && each instanceof RuntimeException && isOf(each, "java\\.(lang|util|nio)");
  }

  private static boolean isOf(Throwable thrown, String packages) {
    return thrown.getClass().getPackageName().matches(packages);
  }

  /** Returns the same for a commit, which reports all failures as an IOException. */
  public static Optional<String> ofCommit(Exception thrown) {
    return thrown instanceof RuntimeException ? Optional.of(WORD + thrown) : of(thrown);
  }
}
