package io.lampone.protocol.connect;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** TLS 1.3 over sockets of the Java platform, from the PEM files of {@link ClientTls}. */
final class BlockingTls {

  private static final String PROTOCOL = "TLSv1.3";

  /** RFC 2818: the certificate must contain the host name. */
  private static final String HOST_NAME_RULES = "HTTPS";

  /** Password of a key store that never leaves this process. */
  private static final char[] NO_PASSWORD = new char[0];

  private BlockingTls() {}

  /**
   * Layers TLS over a connected socket; does not start the handshake.
   *
   * @throws IllegalArgumentException if a file does not have the expected content
   */
  static SSLSocket upon(Socket connected, InetSocketAddress address, ClientTls tls)
      throws IOException {
    SSLContext context = context(tls);
    SSLSocket socket =
        (SSLSocket)
            context
                .getSocketFactory()
                .createSocket(connected, address.getHostString(), address.getPort(), true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setProtocols(new String[] {PROTOCOL});
    if (tls.verifyHostName()) {
      parameters.setEndpointIdentificationAlgorithm(HOST_NAME_RULES);
    }
    socket.setSSLParameters(parameters);
    return socket;
  }

  private static SSLContext context(ClientTls tls) throws IOException {
    try {
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(ownKey(tls), NO_PASSWORD);
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      if (tls.authorityFile().isPresent()) {
        trust.init(authorities(tls.authorityFile().get()));
      } else {
        trust.init((KeyStore) null); // the authorities of the Java platform
      }
      SSLContext context = SSLContext.getInstance(PROTOCOL);
      context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(
          "TLS files cannot be used: PEM certificates and an unencrypted PKCS#8 key are needed, tls="
              + tls
              + " cause="
              + e.getMessage(),
          e);
    }
  }

  private static KeyStore ownKey(ClientTls tls) throws GeneralSecurityException, IOException {
    KeyStore store = empty();
    if (tls.certificateFile().isPresent() && tls.keyFile().isPresent()) {
      Path keyFile = tls.keyFile().get();
      Path certificateFile = tls.certificateFile().get();
      SecurityFiles.requirePrivate(keyFile);
      List<X509Certificate> chain = PemFiles.certificates(certificateFile);
      PrivateKey key = PemFiles.privateKey(keyFile, Optional.empty());
      if (!PemFiles.fit(chain.get(0), key)) {
        throw new IllegalArgumentException(
            "the certificate was not made for the key, certificateFile="
                + certificateFile
                + " keyFile="
                + keyFile);
      }
      store.setKeyEntry("own", key, NO_PASSWORD, chain.toArray(new Certificate[0]));
    }
    return store;
  }

  private static KeyStore authorities(Path file) throws GeneralSecurityException, IOException {
    KeyStore store = empty();
    int number = 0;
    for (X509Certificate authority : PemFiles.certificates(file)) {
      store.setCertificateEntry("authority " + number++, authority);
    }
    return store;
  }

  private static KeyStore empty() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, NO_PASSWORD);
    return store;
  }
}
