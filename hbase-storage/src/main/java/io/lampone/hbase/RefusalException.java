package io.lampone.hbase;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.Refusal;
import org.apache.hadoop.hbase.DoNotRetryIOException;

/**
 * A region server's refusal on its way to the client. HBase's client rebuilds it from its message
 * by the constructor that takes a string; it is never retried by HBase itself, because only our
 * client knows what may be sent again.
 */
public final class RefusalException extends DoNotRetryIOException {

  private static final long serialVersionUID = 1L;

  /** For HBase's client only: {@code message} is that of the exception on the server. */
  public RefusalException(String message) {
    super(message);
  }

  public RefusalException(Refusal refusal) {
    super(refusal.toText());
  }

  public RefusalException(Refusal refusal, Throwable cause) {
    super(refusal.toText(), cause);
  }

  /**
   * The refusal.
   *
   * @throws MalformedException if the message holds none: another version of Lampone sent it
   */
  public Refusal refusal() {
    return Refusal.parse(String.valueOf(getMessage()));
  }
}
