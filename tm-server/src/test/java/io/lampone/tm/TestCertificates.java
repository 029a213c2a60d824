package io.lampone.tm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/** Keys and certificates made by the JDK's keytool when a test needs them. */
public final class TestCertificates {

  private static final String PASSWORD = "changeit";

  private final Path directory;

  public TestCertificates(Path directory) {
    this.directory = directory;
  }

  /** Makes a key with a certificate signed by itself; {@code further} are options of keytool. */
  public TestCertificates make(String name, String... further) throws Exception {
    List<String> options =
        new ArrayList<>(
            List.of(
                "-genkeypair",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                "CN=" + name + ", O=Lampone",
                "-ext",
                "san=ip:127.0.0.1"));
    options.addAll(List.of(further));
    keytool(name, options);
    KeyStore store = load(name);
    write(certificate(name), "CERTIFICATE", store.getCertificate("it").getEncoded());
    PrivateKey key = (PrivateKey) store.getKey("it", PASSWORD.toCharArray());
    write(key(name), "PRIVATE KEY", key.getEncoded());
    Files.setPosixFilePermissions(key(name), PosixFilePermissions.fromString("rw-------"));
    return this;
  }

  /**
   * Makes a key with a certificate signed by another one's, which was made with {@code -ext bc:c}.
   * It is valid for two days, the first of which begins at a time that keytool understands.
   */
  public TestCertificates makeSigned(String name, String authority, String begins)
      throws Exception {
    make(name);
    String request = directory.resolve(name + ".csr").toString();
    keytool(name, List.of("-certreq", "-file", request));
    keytool(
        authority,
        List.of(
            "-gencert",
            "-rfc",
            "-ext",
            "san=ip:127.0.0.1",
            "-startdate",
            begins,
            "-validity",
            "2",
            "-infile",
            request,
            "-outfile",
            certificate(name).toString()));
    return this;
  }

  public Path certificate(String name) {
    return directory.resolve(name + ".crt");
  }

  public Path key(String name) {
    return directory.resolve(name + ".key");
  }

  /** Sockets of a client that believes {@code trusted}, and shows {@code own} if it has a name. */
  public SSLSocketFactory sockets(String trusted, String own)
      throws GeneralSecurityException, IOException {
    KeyStore trust = KeyStore.getInstance("PKCS12");
    trust.load(null, null);
    Certificate authority = load(trusted).getCertificate("it");
    trust.setCertificateEntry("it", authority);
    TrustManagerFactory trusting = TrustManagerFactory.getInstance("PKIX");
    trusting.init(trust);
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    KeyStore mine = KeyStore.getInstance("PKCS12");
    mine.load(null, null);
    keys.init(own.isEmpty() ? mine : load(own), PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLSv1.3");
    context.init(keys.getKeyManagers(), trusting.getTrustManagers(), null);
    return context.getSocketFactory();
  }

  private void keytool(String name, List<String> options) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    // For so short a run an optimizing compiler costs more than it brings.
    command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
    command.addAll(options);
    command.addAll(List.of("-alias", "it", "-storetype", "PKCS12", "-storepass", PASSWORD));
    command.addAll(List.of("-keystore", store(name).toString()));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("keytool.log").toFile())
            .start();
    if (process.waitFor() != 0) {
      throw new IOException(Files.readString(directory.resolve("keytool.log")));
    }
  }

  private Path store(String name) {
    return directory.resolve(name + ".p12");
  }

  private KeyStore load(String name) throws GeneralSecurityException, IOException {
    return KeyStore.getInstance(store(name).toFile(), PASSWORD.toCharArray());
  }

  private static void write(Path file, String kind, byte[] der) throws IOException {
    String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    Files.writeString(
        file,
        "-----BEGIN " + kind + "-----\n" + base64 + "\n-----END " + kind + "-----\n",
        StandardCharsets.US_ASCII);
  }
}
