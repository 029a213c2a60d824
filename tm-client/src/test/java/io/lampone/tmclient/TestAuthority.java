package io.lampone.tmclient;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** An authority that signs certificates for a test, with the tool that each JDK brings along. */
final class TestAuthority {

  private static final String PASSWORD = "changeit";

  private final Path folder;
  private final String name;

  TestAuthority(Path folder, String name) throws Exception {
    this.folder = folder;
    this.name = name;
    generate(name, "-ext", "bc:c");
    keytool("-exportcert", "-rfc", "-alias", name, "-keystore", store(name), "-file", file(name));
  }

  /** A certificate and its key, as PEM files. */
  record Issued(Path certificate, Path key) {}

  /** The authority's own certificate, PEM. */
  Path certificate() {
    return Path.of(file(name));
  }

  Issued issue(String owner, String subjectAlternativeName) throws Exception {
    return issue(owner, subjectAlternativeName, "-1H");
  }

  /** Valid for two days, the first of which begins at a time that keytool understands. */
  Issued issue(String owner, String subjectAlternativeName, String begins) throws Exception {
    generate(owner);
    String request = folder.resolve(owner + ".csr").toString();
    keytool("-certreq", "-alias", owner, "-keystore", store(owner), "-file", request);
    keytool(
        "-gencert",
        "-rfc",
        "-alias",
        name,
        "-keystore",
        store(name),
        "-ext",
        "san=" + subjectAlternativeName,
        "-startdate",
        begins,
        "-validity",
        "2",
        "-infile",
        request,
        "-outfile",
        file(owner));
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(Path.of(store(owner)))) {
      keys.load(in, PASSWORD.toCharArray());
    }
    byte[] key = keys.getKey(owner, PASSWORD.toCharArray()).getEncoded();
    Path keyFile = folder.resolve(owner + ".key");
    Files.writeString(
        keyFile,
        "-----BEGIN PRIVATE KEY-----\n"
            + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key)
            + "\n-----END PRIVATE KEY-----\n");
    Files.setPosixFilePermissions(keyFile, PosixFilePermissions.fromString("rw-------"));
    return new Issued(Path.of(file(owner)), keyFile);
  }

  private void generate(String alias, String... more) throws Exception {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-genkeypair",
                "-alias",
                alias,
                "-dname",
                "CN=" + alias,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-validity",
                "2",
                "-keystore",
                store(alias)));
    arguments.addAll(List.of(more));
    keytool(arguments.toArray(String[]::new));
  }

  private void keytool(String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    // For so short a run an optimizing compiler costs more than it brings.
    command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
    command.addAll(List.of(arguments));
    command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes());
    if (process.waitFor() != 0) {
      throw new IOException("keytool failed: " + said);
    }
  }

  private String store(String alias) {
    return folder.resolve(alias + ".p12").toString();
  }

  private String file(String alias) {
    return folder.resolve(alias + ".pem").toString();
  }
}
