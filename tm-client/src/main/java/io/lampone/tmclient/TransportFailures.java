package io.lampone.tmclient;

import io.lampone.protocol.connect.TrustFailures;
import io.lampone.tmclient.netty.FrameDecoder;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.ssl.NotSslRecordException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLException;

/**
 * Classifies network exceptions. A distrusted server or client differs from one that cannot be
 * reached: it needs an administrator, and retries would only hide the cause.
 */
final class TransportFailures {

  private TransportFailures() {}

  static DisconnectReason endingOf(Throwable failure, boolean open) {
    List<Throwable> causes = TrustFailures.causesOf(failure);
    return causes.stream()
        .flatMap(cause -> needsAPerson(cause).stream())
        .findFirst()
        .or(() -> TrustFailures.problemOf(failure).map(TransportFailures::distrusted))
        .or(() -> causes.stream().flatMap(cause -> mayPass(cause, open).stream()).findFirst())
        .orElseGet(
            () -> DisconnectReason.lost("connection failed: " + TrustFailures.messageOf(failure)));
  }

  /** Returns the reason for exceptions of this transport unknown to {@link TrustFailures}. */
  private static Optional<DisconnectReason> needsAPerson(Throwable cause) {
    if (cause instanceof NotSslRecordException) {
      return Optional.of(
          distrusted(
              "transaction manager is not believed: it does not speak TLS; turn TLS on there, or"
                  + " off here, cause="
                  + TrustFailures.messageOf(cause)));
    }
    if (cause instanceof FrameDecoder.SpeaksTlsException) {
      return Optional.of(
          distrusted(
              "transaction manager is not believed: it speaks TLS; turn TLS on here, cause="
                  + TrustFailures.messageOf(cause)));
    }
    return Optional.empty();
  }

  private static Optional<DisconnectReason> mayPass(Throwable cause, boolean open) {
    if (!open && (cause instanceof ClosedChannelException || cause instanceof SSLException)) {
      return Optional.of(
          DisconnectReason.lost(
              "connection closed during the TLS handshake; does the server speak TLS? "
                  + TrustFailures.messageOf(cause)));
    }
    if (cause instanceof TooLongFrameException) {
      return Optional.of(
          DisconnectReason.lost(
              (open ? "server sends damaged frames: " : "server does not speak this protocol: ")
                  + TrustFailures.messageOf(cause)));
    }
    return Optional.empty();
  }

  private static DisconnectReason distrusted(String problem) {
    return DisconnectReason.of(DisconnectReason.Kind.DISTRUSTED, problem);
  }
}
