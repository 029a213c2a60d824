package io.lampone.protocol.connect;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** Reads certificates and private keys from PEM files; errors include the remedy. */
public final class PemFiles {

  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");
  private static final List<String> KEY_ALGORITHMS = List.of("RSA", "EC", "Ed25519", "Ed448");
  private static final byte[] PROBE = "which key is this".getBytes(StandardCharsets.US_ASCII);

  private PemFiles() {}

  /** Reads one or more certificates. */
  public static List<X509Certificate> certificates(Path file) throws IOException {
    try {
      List<X509Certificate> certificates =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(SecurityFiles.read(file)))
              .stream()
              .map(X509Certificate.class::cast)
              .toList();
      if (certificates.isEmpty()) {
        throw new IllegalArgumentException("no certificate in PEM form, file=" + file);
      }
      return certificates;
    } catch (CertificateException e) {
      throw new IllegalArgumentException("no certificate in PEM form, file=" + file, e);
    }
  }

  /** Reads a private key in PKCS#8 form, encrypted or not. */
  public static PrivateKey privateKey(Path file, Optional<Path> passwordFile) throws IOException {
    Matcher block = BLOCK.matcher(new String(SecurityFiles.read(file), StandardCharsets.US_ASCII));
    if (!block.find()) {
      throw new IllegalArgumentException("no private key in PEM form, file=" + file);
    }
    byte[] der;
    try {
      der = Base64.getMimeDecoder().decode(block.group(2));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("damaged private key, file=" + file, e);
    }
    switch (block.group(1)) {
      case "PRIVATE KEY":
        return anyAlgorithm(new PKCS8EncodedKeySpec(der), file);
      case "ENCRYPTED PRIVATE KEY":
        return anyAlgorithm(
            decrypted(
                der,
                file,
                passwordFile.orElseThrow(
                    () ->
                        new IllegalArgumentException(
                            "the private key is encrypted, name the file with its password, file="
                                + file))),
            file);
      default:
        throw new IllegalArgumentException(
            "private key in another form than PKCS#8, run openssl pkcs8 -topk8 on it, form="
                + block.group(1)
                + " file="
                + file);
    }
  }

  /** Returns true if the certificate was made for the key. */
  public static boolean fit(X509Certificate certificate, PrivateKey key) {
    String algorithm =
        switch (key.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> key.getAlgorithm();
        };
    try {
      Signature signing = Signature.getInstance(algorithm);
      signing.initSign(key);
      signing.update(PROBE);
      byte[] signature = signing.sign();
      Signature verifying = Signature.getInstance(algorithm);
      verifying.initVerify(certificate.getPublicKey());
      verifying.update(PROBE);
      return verifying.verify(signature);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  private static PKCS8EncodedKeySpec decrypted(byte[] der, Path file, Path passwordFile)
      throws IOException {
    SecurityFiles.requirePrivate(passwordFile);
    char[] password =
        new String(SecurityFiles.read(passwordFile), StandardCharsets.UTF_8).strip().toCharArray();
    try {
      EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(der);
      // The name of PBES2 is generic; its parameters name the algorithm.
      String algorithm =
          info.getAlgName().equals("PBES2")
              ? info.getAlgParameters().toString()
              : info.getAlgName();
      Cipher cipher = Cipher.getInstance(algorithm);
      cipher.init(
          Cipher.DECRYPT_MODE,
          SecretKeyFactory.getInstance(algorithm).generateSecret(new PBEKeySpec(password)),
          info.getAlgParameters());
      return info.getKeySpec(cipher);
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalArgumentException(
          "the password does not open the private key, file="
              + file
              + " passwordFile="
              + passwordFile,
          e);
    }
  }

  private static PrivateKey anyAlgorithm(PKCS8EncodedKeySpec spec, Path file) {
    for (String algorithm : KEY_ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(spec);
      } catch (InvalidKeySpecException e) {
        continue; // a key of another algorithm
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("every Java platform has " + algorithm, e);
      }
    }
    throw new IllegalArgumentException(
        "damaged private key, or of an unknown algorithm, known="
            + KEY_ALGORITHMS
            + " file="
            + file);
  }
}
