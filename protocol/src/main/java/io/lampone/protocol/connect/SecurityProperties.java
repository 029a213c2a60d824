package io.lampone.protocol.connect;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.config.Setting;
import io.lampone.protocol.config.SettingList;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.SharedSecret;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * {@link ClientSecurity} as properties, the same for applications, region servers and tools. Files
 * are read at each call: a region server calls this for each connection that it makes, so that a
 * changed file takes effect from the next one on.
 */
public final class SecurityProperties {

  /** Prefix of every property. */
  public static final String PREFIX = "lampone.client.manager.";

  private static final SettingList LIST = new SettingList(PREFIX, true);

  public static final Setting<String> PRINCIPAL =
      LIST.text("principal", "", "Name of the client's principal.");
  public static final Setting<String> TENANT =
      LIST.text("tenant", "", "The tenant that it works for.");
  public static final Setting<Optional<Path>> SECRET_FILE =
      LIST.file(
          "secret.file",
          "A file with the shared secret, 16 bytes or more; the transaction manager must prove that"
              + " it knows it too.");
  public static final Setting<Boolean> KERBEROS =
      LIST.flag(
          "kerberos",
          false,
          "Whether the client shows a Kerberos ticket, and demands one of the transaction manager.");
  public static final Setting<String> KERBEROS_SERVICE =
      LIST.text(
          "kerberos.service",
          ClientKerberos.DEFAULT_SERVICE,
          "The first component of the transaction manager's principal, service/host@REALM.");
  public static final Setting<String> KERBEROS_PRINCIPAL =
      LIST.text(
          "kerberos.principal",
          "",
          "The client's own principal. Unless it is set: that of HBase's login, or of the ticket"
              + " cache.");
  public static final Setting<Optional<Path>> KERBEROS_KEYTAB_FILE =
      LIST.file(
          "kerberos.keytab.file",
          "The keytab with the keys of that principal; without it HBase's login or the ticket cache"
              + " has the ticket.");
  public static final Setting<Boolean> TLS = LIST.flag("tls", false, "TLS 1.3.");
  public static final Setting<Optional<Path>> TLS_AUTHORITY_FILE =
      LIST.file(
          "tls.authority.file",
          "PEM: the authorities that sign the certificates of transaction managers. Java's unless it"
              + " is set.");
  public static final Setting<Optional<Path>> TLS_CERTIFICATE_FILE =
      LIST.file("tls.certificate.file", "PEM: the client's own certificate.");
  public static final Setting<Optional<Path>> TLS_KEY_FILE =
      LIST.file("tls.key.file", "PEM: its key (PKCS#8, unencrypted).");
  public static final Setting<Boolean> TLS_VERIFY_HOST =
      LIST.flag(
          "tls.verify.host",
          true,
          "Whether the certificate must be made out to the host that is connected to.");

  /** All settings, in the order of the reference page. */
  public static final List<Setting<?>> ALL = LIST.all();

  /** Lookup of a property's value; null if unset. */
  private final Function<String, @Nullable String> lookup;

  private SecurityProperties(Function<String, @Nullable String> lookup) {
    this.lookup = lookup;
  }

  /**
   * Reads the properties and the secret; unset properties have their defaults.
   *
   * @throws IllegalArgumentException if a value is not usable; the message names the property
   */
  public static ClientSecurity read(Function<String, @Nullable String> lookup) {
    return new SecurityProperties(lookup).security();
  }

  private ClientSecurity security() {
    Identity identity = identity();
    Optional<SharedSecret> secret = secret();
    if (secret.isPresent() && identity.principal().isEmpty()) {
      throw new IllegalArgumentException(
          "a secret without a principal whose it is; set " + PRINCIPAL);
    }
    return new ClientSecurity(identity, secret, tls(), kerberos());
  }

  private Identity identity() {
    String principal = PRINCIPAL.read(lookup);
    String tenant = TENANT.read(lookup);
    try {
      return new Identity(principal, tenant);
    } catch (MalformedException e) {
      throw new IllegalArgumentException(
          "wrong name, "
              + PRINCIPAL
              + "="
              + principal
              + " "
              + TENANT
              + "="
              + tenant
              + ": "
              + e.getMessage(),
          e);
    }
  }

  private Optional<SharedSecret> secret() {
    Optional<Path> file = SECRET_FILE.read(lookup);
    return file.isEmpty()
        ? Optional.empty()
        : Optional.of(readable(SECRET_FILE, file.get(), SecurityFiles::secret));
  }

  private Optional<ClientKerberos> kerberos() {
    Optional<String> principal =
        Optional.of(KERBEROS_PRINCIPAL.read(lookup)).filter(name -> !name.isEmpty());
    Optional<Path> keytab = KERBEROS_KEYTAB_FILE.read(lookup);
    if (!KERBEROS.read(lookup)) {
      if (principal.isPresent() || keytab.isPresent()) {
        throw new IllegalArgumentException(
            "a login for Kerberos without Kerberos; set " + KERBEROS + "=true, or remove it");
      }
      return Optional.empty();
    }
    if (keytab.isPresent() && principal.isEmpty()) {
      throw new IllegalArgumentException(
          "a keytab without a principal whose key to use; set " + KERBEROS_PRINCIPAL);
    }
    KerberosLogin login =
        keytab.isPresent()
            ? KerberosLogin.ofKeytab(
                principal.orElseThrow(),
                readable(
                    KERBEROS_KEYTAB_FILE,
                    keytab.get(),
                    file -> {
                      SecurityFiles.requirePrivate(file);
                      return file;
                    }))
            : KerberosLogin.ofTicketCache(principal);
    return Optional.of(new ClientKerberos(KERBEROS_SERVICE.read(lookup), login));
  }

  private Optional<ClientTls> tls() {
    Optional<Path> authority = TLS_AUTHORITY_FILE.read(lookup);
    Optional<Path> certificate = TLS_CERTIFICATE_FILE.read(lookup);
    Optional<Path> key = TLS_KEY_FILE.read(lookup);
    boolean verifyHost = TLS_VERIFY_HOST.read(lookup);
    if (TLS.read(lookup)) {
      return Optional.of(new ClientTls(authority, certificate, key, verifyHost));
    }
    if (authority.isPresent() || certificate.isPresent() || key.isPresent()) {
      throw new IllegalArgumentException(
          "files for TLS without TLS; set " + TLS + "=true, or remove them");
    }
    return Optional.empty();
  }

  /** Use of a file. */
  @FunctionalInterface
  private interface Reader<T> {
    T read(Path file) throws IOException;
  }

  private static <T> T readable(Setting<?> setting, Path file, Reader<T> reader) {
    try {
      return reader.read(file);
    } catch (IOException | IllegalArgumentException e) {
      throw setting.unusable(file, e);
    }
  }
}
