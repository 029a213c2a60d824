package io.lampone.hbase;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.request.Refusal;
import java.util.Optional;
import org.apache.hadoop.hbase.DoNotRetryIOException;

/**
 * A region server's refusal, as transported to the client. HBase's client rebuilds it from its
 * message by the constructor that takes a string, and never retries it: only our client knows what
 * may be sent again.
 */
public final class RefusalException extends DoNotRetryIOException {

  private static final long serialVersionUID = 1L;

  /** Maximum number of causes to inspect: a chain may be circular. */
  private static final int MAX_CAUSES = 20;

  private static final String MARK = "[lampone ";

  /** For HBase's client only: {@code message} is that of the exception on the server. */
  public RefusalException(String message) {
    super(message);
  }

  public RefusalException(Refusal refusal) {
    super(refusal.toText());
    if (refusal.code() == Refusal.Code.UNDECIDED) {
      // Common, and long: the stack trace would be sent with it.
      setStackTrace(new StackTraceElement[0]);
    }
  }

  public RefusalException(Refusal refusal, Throwable cause) {
    super(refusal.toText(), cause);
  }

  /** Returns the refusal in a failure or its causes: HBase's client wraps server exceptions. */
  public static Optional<Refusal> in(Throwable failure) {
    Throwable link = failure;
    for (int i = 0; link != null && i < MAX_CAUSES; i++) {
      String message = link.getMessage();
      if (message != null && message.contains(MARK)) {
        try {
          return Optional.of(Refusal.parse(message));
        } catch (MalformedException e) {
          return Optional.of(
              Refusal.of(Refusal.Code.MALFORMED, "unreadable refusal, message=" + message));
        }
      }
      link = link.getCause();
    }
    return Optional.empty();
  }

  /**
   * Returns the refusal.
   *
   * @throws MalformedException if the message holds none: another version of Lampone sent it
   */
  public Refusal refusal() {
    return Refusal.parse(String.valueOf(getMessage()));
  }

  /**
   * Prints nothing to standard error for {@link Refusal.Code#UNDECIDED}: HBase's client would print
   * each such refusal of a scan, which is common. A named stream or writer gets the trace.
   */
  @Override
  public void printStackTrace() {
    if (in(this).filter(refusal -> refusal.code() == Refusal.Code.UNDECIDED).isEmpty()) {
      super.printStackTrace();
    }
  }
}
