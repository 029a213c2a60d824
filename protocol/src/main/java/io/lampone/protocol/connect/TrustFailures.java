package io.lampone.protocol.connect;

import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.net.ssl.SSLException;

/**
 * Classifies TLS exceptions by which one end distrusts the other. Unlike transient failures they
 * need an administrator, and retries would only hide the cause.
 */
public final class TrustFailures {

  /** Maximum number of causes to examine. */
  private static final int MAX_CAUSES = 16;

  /** Message of the Java platform for input that is not TLS; it has no exception type for it. */
  private static final String NO_TLS = "Unsupported or unrecognized SSL message";

  private TrustFailures() {}

  /** Returns advice for people; empty for other kinds of failures. */
  public static Optional<String> problemOf(Throwable failure) {
    return untimely("its certificate", failure)
        .map(problem -> "transaction manager is not believed: " + problem)
        .or(() -> causesOf(failure).stream().flatMap(cause -> problem(cause).stream()).findFirst());
  }

  /**
   * Returns a description and remedy if a certificate has expired or is not valid yet; empty
   * otherwise. The dates are deep among the causes, whose outer levels are shared with other
   * failures.
   *
   * @param certificate description of its owner, the beginning of the sentence
   */
  public static Optional<String> untimely(String certificate, Throwable failure) {
    return causesOf(failure).stream()
        .flatMap(cause -> untimely(cause).stream())
        .findFirst()
        .map(
            problem ->
                certificate + problem + "; renew it there, and look at the clocks of both ends");
  }

  /** Returns the failure, its cause, and so on. */
  public static List<Throwable> causesOf(Throwable failure) {
    List<Throwable> causes = new ArrayList<>();
    Throwable cause = failure;
    while (cause != null && causes.size() < MAX_CAUSES) {
      causes.add(cause);
      cause = cause.getCause();
    }
    return causes;
  }

  /** Returns the failure's message, or else its type. */
  public static String messageOf(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName().toLowerCase(Locale.ROOT) : message;
  }

  private static Optional<String> untimely(Throwable cause) {
    if (cause instanceof CertificateExpiredException) {
      return Optional.of(" has ended, " + messageOf(cause));
    }
    if (cause instanceof CertificateNotYetValidException) {
      return Optional.of(" is not valid yet, " + messageOf(cause));
    }
    return Optional.empty();
  }

  private static Optional<String> problem(Throwable cause) {
    if (cause instanceof CertificateException
        || cause instanceof CertPathBuilderException
        || cause instanceof CertPathValidatorException) {
      return distrusted(
          "its certificate is not signed by an authority that this client trusts, or is made out"
              + " to another host",
          cause);
    }
    if (cause instanceof SSLException && messageOf(cause).contains("fatal alert")) {
      return distrusted(
          "it refuses the TLS handshake; does it speak TLS, demand a client certificate, or trust"
              + " another authority than the one of this client's, or has this client's ended?",
          cause);
    }
    if (cause instanceof SSLException && messageOf(cause).contains(NO_TLS)) {
      return distrusted("it does not speak TLS; turn TLS on there, or off here", cause);
    }
    return Optional.empty();
  }

  private static Optional<String> distrusted(String problem, Throwable cause) {
    return Optional.of(
        "transaction manager is not believed: " + problem + ", cause=" + messageOf(cause));
  }
}
