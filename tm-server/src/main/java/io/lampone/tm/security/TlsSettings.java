package io.lampone.tm.security;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Files for TLS, all in PEM form.
 *
 * @param certificateFile the server's certificate, then those that lead to the authority
 * @param keyFile its private key, in PKCS#8 form
 * @param keyPasswordFile the password of the key, if it is encrypted
 * @param authorityFile certificates that sign those of clients and of other transaction managers
 * @param clientCertificates whether clients show a certificate
 */
public record TlsSettings(
    Path certificateFile,
    Path keyFile,
    Optional<Path> keyPasswordFile,
    Optional<Path> authorityFile,
    ClientCertificates clientCertificates) {

  /** Demand for client certificates. */
  public enum ClientCertificates {
    /** They are not asked. */
    NONE,
    /** They may. */
    OPTIONAL,
    /** They must. */
    REQUIRED
  }

  /** Everything that is read. */
  List<Path> files() {
    List<Path> files = new ArrayList<>(List.of(certificateFile, keyFile));
    keyPasswordFile.ifPresent(files::add);
    authorityFile.ifPresent(files::add);
    return files;
  }
}
