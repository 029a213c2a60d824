package io.lampone.tm.security;

import io.lampone.protocol.time.Clock;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a TLS handshake needs, made of files.
 *
 * @param context for new connections
 * @param expiresAtMillis when the server's certificate ends, on the wall clock
 */
public record TlsContext(SslContext context, long expiresAtMillis) {

  private static final Logger LOG = LoggerFactory.getLogger(TlsContext.class);

  /** Nothing older: its ciphers are all authenticated, and nothing can be talked down. */
  private static final String PROTOCOL = "TLSv1.3";

  /** Somebody should hear of it so early. */
  private static final int WARNING_DAYS = 30;

  /**
   * Reads the files.
   *
   * @throws IOException if one cannot be read
   * @throws IllegalArgumentException if they do not fit together
   */
  public static TlsContext load(TlsSettings settings, Clock clock) throws IOException {
    WatchedFiles.requirePrivate(settings.keyFile());
    List<X509Certificate> chain = PemFiles.certificates(settings.certificateFile());
    PrivateKey key = PemFiles.privateKey(settings.keyFile(), settings.keyPasswordFile());
    X509Certificate own = chain.get(0);
    if (!PemFiles.fit(own, key)) {
      throw new IllegalArgumentException(
          "the certificate was not made for the key, certificateFile="
              + settings.certificateFile()
              + " keyFile="
              + settings.keyFile());
    }
    long expiresAtMillis = own.getNotAfter().getTime();
    warnOfEnd(settings, expiresAtMillis, clock.wallMillis());
    try {
      SslContextBuilder builder =
          SslContextBuilder.forServer(key, chain)
              .sslProvider(SslProvider.JDK)
              .protocols(PROTOCOL)
              .clientAuth(
                  switch (settings.clientCertificates()) {
                    case NONE -> ClientAuth.NONE;
                    case OPTIONAL -> ClientAuth.OPTIONAL;
                    case REQUIRED -> ClientAuth.REQUIRE;
                  });
      if (settings.authorityFile().isPresent()) {
        builder.trustManager(PemFiles.certificates(settings.authorityFile().get()));
      }
      return new TlsContext(builder.build(), expiresAtMillis);
    } catch (SSLException e) {
      throw new IllegalArgumentException("TLS cannot be set up, cause=" + e.getMessage(), e);
    }
  }

  private static void warnOfEnd(TlsSettings settings, long expiresAtMillis, long nowMillis) {
    long days = TimeUnit.MILLISECONDS.toDays(expiresAtMillis - nowMillis);
    if (expiresAtMillis <= nowMillis) {
      LOG.warn(
          "the certificate has expired and clients will refuse it, certificateFile={} daysAgo={}",
          settings.certificateFile(),
          -days);
    } else if (days < WARNING_DAYS) {
      LOG.warn(
          "the certificate expires soon, certificateFile={} days={}",
          settings.certificateFile(),
          days);
    }
  }
}
