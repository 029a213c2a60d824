package io.lampone.protocol.connect;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.SharedSecret;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.TreeSet;
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

  public static final String PRINCIPAL = PREFIX + "principal";
  public static final String TENANT = PREFIX + "tenant";
  public static final String SECRET_FILE = PREFIX + "secret.file";
  public static final String KERBEROS = PREFIX + "kerberos";
  public static final String KERBEROS_SERVICE = PREFIX + "kerberos.service";
  public static final String KERBEROS_PRINCIPAL = PREFIX + "kerberos.principal";
  public static final String KERBEROS_KEYTAB_FILE = PREFIX + "kerberos.keytab.file";
  public static final String TLS = PREFIX + "tls";
  public static final String TLS_AUTHORITY_FILE = PREFIX + "tls.authority.file";
  public static final String TLS_CERTIFICATE_FILE = PREFIX + "tls.certificate.file";
  public static final String TLS_KEY_FILE = PREFIX + "tls.key.file";
  public static final String TLS_VERIFY_HOST = PREFIX + "tls.verify.host";

  /** Lookup of a property's value; null if unset. */
  private final Function<String, @Nullable String> lookup;

  private SecurityProperties(Function<String, @Nullable String> lookup) {
    this.lookup = lookup;
  }

  /** Returns the full names of all properties, sorted. */
  public static TreeSet<String> names() {
    TreeSet<String> names = new TreeSet<>();
    for (String name :
        new String[] {
          PRINCIPAL,
          TENANT,
          SECRET_FILE,
          KERBEROS,
          KERBEROS_SERVICE,
          KERBEROS_PRINCIPAL,
          KERBEROS_KEYTAB_FILE,
          TLS,
          TLS_AUTHORITY_FILE,
          TLS_CERTIFICATE_FILE,
          TLS_KEY_FILE,
          TLS_VERIFY_HOST
        }) {
      names.add(name);
    }
    return names;
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
    String principal = text(PRINCIPAL).orElse("");
    String tenant = text(TENANT).orElse("");
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
    Optional<Path> file = file(SECRET_FILE);
    if (file.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(SecurityFiles.secret(file.get()));
    } catch (IOException | IllegalArgumentException e) {
      throw unusable(SECRET_FILE, file.get().toString(), e);
    }
  }

  private Optional<ClientKerberos> kerberos() {
    Optional<String> principal = text(KERBEROS_PRINCIPAL).filter(name -> !name.isEmpty());
    Optional<Path> keytab = file(KERBEROS_KEYTAB_FILE);
    if (!bool(KERBEROS, false)) {
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
            ? KerberosLogin.ofKeytab(principal.orElseThrow(), readable(keytab.get()))
            : KerberosLogin.ofTicketCache(principal);
    String service = text(KERBEROS_SERVICE).orElse(ClientKerberos.DEFAULT_SERVICE);
    return Optional.of(new ClientKerberos(service, login));
  }

  private static Path readable(Path keytab) {
    try {
      SecurityFiles.requirePrivate(keytab);
      return keytab;
    } catch (IOException | IllegalArgumentException e) {
      throw unusable(KERBEROS_KEYTAB_FILE, keytab.toString(), e);
    }
  }

  private Optional<ClientTls> tls() {
    Optional<Path> authority = file(TLS_AUTHORITY_FILE);
    Optional<Path> certificate = file(TLS_CERTIFICATE_FILE);
    Optional<Path> key = file(TLS_KEY_FILE);
    boolean verifyHost = bool(TLS_VERIFY_HOST, true);
    if (bool(TLS, false)) {
      return Optional.of(new ClientTls(authority, certificate, key, verifyHost));
    }
    if (authority.isPresent() || certificate.isPresent() || key.isPresent()) {
      throw new IllegalArgumentException(
          "files for TLS without TLS; set " + TLS + "=true, or remove them");
    }
    return Optional.empty();
  }

  private Optional<Path> file(String name) {
    return text(name)
        .map(
            value -> {
              try {
                return Path.of(value);
              } catch (IllegalArgumentException e) {
                throw unusable(name, value, e);
              }
            });
  }

  private boolean bool(String name, boolean byDefault) {
    Optional<String> value = text(name);
    if (value.isPresent() && !value.get().equals("true") && !value.get().equals("false")) {
      throw unusable(name, value.get(), new IllegalArgumentException("neither true nor false"));
    }
    return value.map(Boolean::parseBoolean).orElse(byDefault);
  }

  private Optional<String> text(String name) {
    return Optional.ofNullable(lookup.apply(name)).map(String::trim);
  }

  private static IllegalArgumentException unusable(String name, String value, Exception cause) {
    return new IllegalArgumentException(
        "property without a usable value, name="
            + name
            + " value="
            + value
            + " cause="
            + cause.getMessage(),
        cause);
  }
}
