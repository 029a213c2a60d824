package io.lampone.protocol.connect;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * TLS 1.3 towards transaction managers. All files are PEM.
 *
 * @param authorityFile certificates of the authorities of the servers; without it those of the Java
 *     platform
 * @param certificateFile the client's certificate chain
 * @param keyFile its private key, PKCS#8, unencrypted; present if and only if the certificate is
 * @param verifyHostName whether the server's certificate must match the host of the connection
 */
public record ClientTls(
    Optional<Path> authorityFile,
    Optional<Path> certificateFile,
    Optional<Path> keyFile,
    boolean verifyHostName) {

  /**
   * Checks the files.
   *
   * @throws IllegalArgumentException if one cannot be read, or one of certificate and key is
   *     missing
   */
  public ClientTls {
    if (certificateFile.isPresent() != keyFile.isPresent()) {
      throw new IllegalArgumentException(
          "a client certificate needs its key, and a key its certificate, certificate="
              + certificateFile
              + " key="
              + keyFile);
    }
    authorityFile.ifPresent(ClientTls::requireReadable);
    certificateFile.ifPresent(ClientTls::requireReadable);
    keyFile.ifPresent(ClientTls::requireReadable);
  }

  private static void requireReadable(Path file) {
    if (!Files.isReadable(file)) {
      throw new IllegalArgumentException("no readable file, file=" + file.toAbsolutePath());
    }
  }
}
