package io.lampone.coprocessor;

import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.hbase.RefusalException;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.TooLargeException;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Boundary between HBase and this code. HBase aborts the server, or unloads the coprocessor, when a
 * hook throws anything but an IOException; so this class lets nothing else through (E13).
 */
public final class Guard {

  private static final Logger LOG = LoggerFactory.getLogger(Guard.class);

  private Guard() {}

  /** Body of a hook. */
  @FunctionalInterface
  public interface Work<T> {
    T run() throws IOException;
  }

  /** Body of a hook without a result. */
  @FunctionalInterface
  public interface Action {
    void run() throws IOException;
  }

  static void run(String hook, Action action) throws IOException {
    call(
        hook,
        () -> {
          action.run();
          return Boolean.TRUE;
        });
  }

  static <T> T call(String hook, Work<T> work) throws IOException {
    try {
      return work.run();
    } catch (RuntimeException | Error e) {
      throw told(hook, e);
    }
  }

  /** Returns the exception that reports a failure to HBase; for a hook that is called per cell. */
  public static IOException told(String hook, Throwable failure) {
    if (failure instanceof Refused refused) {
      return new RefusalException(refused.refusal());
    }
    if (failure instanceof TooLargeException) {
      return new RefusalException(
          Refusal.of(Refusal.Code.TOO_LARGE, String.valueOf(failure.getMessage())), failure);
    }
    if (failure instanceof MalformedException) {
      return new RefusalException(
          Refusal.of(Refusal.Code.MALFORMED, "unreadable request: " + failure.getMessage()),
          failure);
    }
    if (failure instanceof OutOfMemoryError e) {
      throw e; // HBase handles that itself
    }
    LOG.error("Hook failed, hook={}", hook, failure);
    return new RefusalException(
        Refusal.of(Refusal.Code.INTERNAL, "hook failed, hook=" + hook + " error=" + failure),
        failure);
  }
}
