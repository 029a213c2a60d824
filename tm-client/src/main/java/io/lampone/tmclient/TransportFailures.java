package io.lampone.tmclient;

import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.ssl.NotSslRecordException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
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
    List<Throwable> causes = causes(failure);
    return causes.stream()
        .flatMap(cause -> needsAPerson(cause).stream())
        .findFirst()
        .or(() -> causes.stream().flatMap(cause -> mayPass(cause, open).stream()).findFirst())
        .orElseGet(() -> Ending.lost("connection failed: " + message(failure)));
  }

  private static Optional<Ending> needsAPerson(Throwable cause) {
    if (cause instanceof NotSslRecordException) {
      return distrusted("it does not speak TLS; turn TLS on there, or off here", cause);
    }
    if (cause instanceof FrameCutter.SpeaksTlsException) {
      return distrusted("it speaks TLS; turn TLS on here", cause);
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
    return Optional.empty();
  }

  private static Optional<Ending> mayPass(Throwable cause, boolean open) {
    if (!open && (cause instanceof ClosedChannelException || cause instanceof SSLException)) {
      return Optional.of(
          Ending.lost(
              "connection closed during the TLS handshake; does the server speak TLS? "
                  + message(cause)));
    }
    if (cause instanceof TooLongFrameException) {
      return Optional.of(
          Ending.lost(
              (open ? "server sends damaged frames: " : "server does not speak this protocol: ")
                  + message(cause)));
    }
    return Optional.empty();
  }

  private static List<Throwable> causes(Throwable failure) {
    List<Throwable> causes = new ArrayList<>();
    Throwable cause = failure;
    while (cause != null && causes.size() < MAX_CAUSES) {
      causes.add(cause);
      cause = cause.getCause();
    }
    return causes;
  }

  private static Optional<Ending> distrusted(String problem, Throwable cause) {
    return Optional.of(
        Ending.of(
            Ending.Kind.DISTRUSTED,
            "transaction manager is not believed: " + problem + ", cause=" + message(cause)));
  }

  private static String message(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName().toLowerCase(Locale.ROOT) : message;
  }
}
