package io.lampone.tm.security;

import io.lampone.protocol.connect.PemFiles;
import io.lampone.protocol.connect.SecurityFiles;
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
 * TLS contexts created from files.
 *
 * @param context for new connections
 * @param peers for connections to other transaction managers: presents the same certificate, trusts
 *     the configured authority (or those of the Java platform), and requires the other's
 *     certificate to match the host of the connection
 * @param expiresAtMillis expiry of the server's certificate, on the wall clock
 */
public record TlsContext(SslContext context, SslContext peers, long expiresAtMillis) {

  private static final Logger LOG = LoggerFactory.getLogger(TlsContext.class);

  /** The only version allowed: all its ciphers are authenticated, and a downgrade is impossible. */
  private static final String PROTOCOL = "TLSv1.3";

  /** RFC 2818: the certificate must contain the host name. */
  private static final String HOST_NAME_RULES = "HTTPS";

  /** Days of warning before the certificate expires. */
  private static final int WARNING_DAYS = 30;

  /**
   * Reads the files.
   *
   * @throws IOException if one cannot be read
   * @throws IllegalArgumentException if they do not match
   */
  public static TlsContext load(TlsSettings settings, Clock clock) throws IOException {
    SecurityFiles.requirePrivate(settings.keyFile());
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
      SslContextBuilder peers =
          SslContextBuilder.forClient()
              .sslProvider(SslProvider.JDK)
              .protocols(PROTOCOL)
              .endpointIdentificationAlgorithm(HOST_NAME_RULES)
              .keyManager(key, chain);
      if (settings.authorityFile().isPresent()) {
        List<X509Certificate> authority = PemFiles.certificates(settings.authorityFile().get());
        builder.trustManager(authority);
        peers.trustManager(authority);
      }
      return new TlsContext(builder.build(), peers.build(), expiresAtMillis);
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
