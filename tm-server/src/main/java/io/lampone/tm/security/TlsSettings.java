package io.lampone.tm.security;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Files for TLS, all in PEM form.
 *
 * @param certificateFile the server's certificate chain
 * @param keyFile its private key, in PKCS#8 form
 * @param keyPasswordFile the password of the key, if encrypted
 * @param authorityFile authorities of clients and other transaction managers
 * @param clientCertificates whether clients present a certificate
 */
public record TlsSettings(
    Path certificateFile,
    Path keyFile,
    Optional<Path> keyPasswordFile,
    Optional<Path> authorityFile,
    ClientCertificates clientCertificates) {

  /** Policy for client certificates. */
  public enum ClientCertificates {
    /** Not requested. */
    NONE,
    /** Requested, not required. */
    OPTIONAL,
    /** Required. */
    REQUIRED
  }

  /** Returns all files. */
  List<Path> files() {
    List<Path> files = new ArrayList<>(List.of(certificateFile, keyFile));
    keyPasswordFile.ifPresent(files::add);
    authorityFile.ifPresent(files::add);
    return files;
  }
}
