package io.lampone.tmclient;

import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.ssl.NotSslRecordException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.util.Locale;
import javax.net.ssl.SSLException;

/**
 * What an exception of the network means. A server or a client that is not trusted is told from one
 * that cannot be reached: the first needs a person, and waiting would only hide the reason.
 */
final class TransportFailures {

  /** Causes that are looked at, at most. */
  private static final int MAX_CAUSES = 16;

  private TransportFailures() {}

  static Ending endingOf(Throwable failure, boolean open) {
    Throwable cause = failure;
    for (int i = 0; i < MAX_CAUSES && cause != null; i++, cause = cause.getCause()) {
      if (cause instanceof NotSslRecordException) {
        return distrusted("it does not speak TLS; turn TLS on there, or off here", cause);
      }
      if (cause instanceof CertificateException
          || cause instanceof CertPathBuilderException
          || cause instanceof CertPathValidatorException) {
        return distrusted(
            "its certificate is not signed by an authority that this client trusts, or is made out"
                + " to another host",
            cause);
      }
      if (cause instanceof SSLException && message(cause).contains("fatal alert")) {
        return distrusted(
            "it refuses the TLS handshake; does it demand a client certificate, or trust another"
                + " authority than the one of this client's?",
            cause);
      }
      if (!open && (cause instanceof ClosedChannelException || cause instanceof SSLException)) {
        return Ending.lost(
            "connection closed during the TLS handshake; does the server speak TLS? "
                + message(cause));
      }
      if (cause instanceof TooLongFrameException) {
        return Ending.lost(
            (open ? "server sends damaged frames: " : "server does not speak this protocol: ")
                + message(cause));
      }
    }
    return Ending.lost("connection failed: " + message(failure));
  }

  private static Ending distrusted(String problem, Throwable cause) {
    return Ending.of(
        Ending.Kind.DISTRUSTED,
        "transaction manager is not believed: " + problem + ", cause=" + message(cause));
  }

  private static String message(Throwable failure) {
    String message = failure.getMessage();
    return message == null
        ? failure.getClass().getSimpleName().toLowerCase(Locale.ROOT)
        : message;
  }
}
