package io.lampone.tm.security;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.connect.KerberosLogin;
import io.lampone.protocol.connect.TrustFailures;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.UnsupportedCallbackException;
import javax.security.sasl.AuthorizeCallback;
import javax.security.sasl.Sasl;
import javax.security.sasl.SaslException;
import javax.security.sasl.SaslServer;
import org.jspecify.annotations.Nullable;

/**
 * The server's side of an exchange by the SASL mechanism GSSAPI (RFC 4752). One thread at a time,
 * not the event loop; does not contact a KDC.
 */
public final class KerberosExchange {

  private static final Map<String, String> OPTIONS = Map.of(Sasl.QOP, "auth");

  private final KerberosLogin login;
  private final String service;
  private final String realm;
  private final Duration lifetime;

  private @Nullable SaslServer server;

  /** Outcome of a client's token. */
  public sealed interface Outcome {

    /** Send this token. */
    record Token(Bytes token) implements Outcome {}

    /** The client has proved to be this principal, see {@link KerberosExchange#name}. */
    record Proven(String name) implements Outcome {}

    /** The client has failed to authenticate. */
    record Failed(String problem) implements Outcome {}
  }

  KerberosExchange(KerberosLogin login, KerberosSettings settings) {
    this.login = login;
    this.service = settings.service();
    this.realm = settings.realm();
    this.lifetime = settings.connectionLifetime();
  }

  /** Returns the maximum lifetime of a connection authenticated by the ticket. */
  public Duration lifetime() {
    return lifetime;
  }

  /** Processes the client's next token. */
  public Outcome next(Bytes token) {
    try {
      return login.runWith(() -> evaluate(token));
    } catch (Exception e) { // of JAAS, SASL and GSS; none of them contains a key
      List<Throwable> causes = TrustFailures.causesOf(e);
      return new Outcome.Failed(
          "the Kerberos ticket is not accepted; compare the clocks, and the keytab of the"
              + " transaction manager with the KDC, cause="
              + TrustFailures.messageOf(causes.get(causes.size() - 1)));
    }
  }

  /**
   * Returns the name of a Kerberos principal in the principals file: the first of its one or two
   * components, with {@code @REALM} unless that is the transaction manager's own realm; empty if it
   * has no such form.
   */
  static Optional<String> name(String principal, String ownRealm) {
    int at = principal.lastIndexOf('@');
    String[] components = principal.substring(0, Math.max(0, at)).split("/", -1);
    String realm = principal.substring(at + 1);
    String name = realm.equals(ownRealm) ? components[0] : components[0] + "@" + realm;
    return at > 0 && components.length <= 2 && !components[0].isEmpty() && Principals.isName(name)
        ? Optional.of(name)
        : Optional.empty();
  }

  private Outcome evaluate(Bytes token) throws SaslException {
    SaslServer current = server;
    if (current == null) {
      // Without a host name: the login has the keys of one principal only.
      current = Sasl.createSaslServer("GSSAPI", service, null, OPTIONS, this::authorize);
      server = current;
    }
    byte[] answer = current.evaluateResponse(token.toArray());
    if (!current.isComplete()) {
      return new Outcome.Token(answer == null ? Bytes.EMPTY : Bytes.wrap(answer));
    }
    String principal = current.getAuthorizationID();
    return name(principal, realm)
        .<Outcome>map(Outcome.Proven::new)
        .orElseGet(
            () -> new Outcome.Failed("no principal can have this name, kerberos=" + principal));
  }

  /** Permits a client to act as itself only. */
  private void authorize(Callback[] callbacks) throws UnsupportedCallbackException {
    for (Callback callback : callbacks) {
      if (!(callback instanceof AuthorizeCallback asked)) {
        throw new UnsupportedCallbackException(callback);
      }
      asked.setAuthorized(asked.getAuthenticationID().equals(asked.getAuthorizationID()));
    }
  }
}
