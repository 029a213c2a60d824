package io.lampone.tm.security;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.trust.DelegationToken;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.SharedSecret;
import io.lampone.tm.token.DelegationTokens;
import java.security.SecureRandom;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Authenticates clients. Used on the event loop; its sources may be replaced by other threads. */
public final class Authenticator {

  /** Proof required of clients. */
  public enum Mode {
    /** None: every client that reaches the port is trusted. */
    NONE,
    /** Knowledge of the principal's secret; a client certificate is accepted too. */
    SECRET,
    /** A client certificate. */
    CERTIFICATE,
    /** A Kerberos ticket. */
    KERBEROS
  }

  /** No principals, with an unknown secret, so that a proof takes as long as any other. */
  private static final Principals NOBODY = Principals.none();

  private final Mode mode;
  private final Supplier<Optional<Principals>> principals;
  private final Supplier<KerberosExchange> exchanges;
  private final Phase phase;
  private final DelegationTokens tokens;

  /** Names proved in the permissive phase, oldest first; event loop only. */
  private final Set<String> proved = new LinkedHashSet<>();

  private final SecureRandom random = new SecureRandom();

  /**
   * Creates an authenticator that requires every client to authenticate.
   *
   * @param principals returns all principals known at the time of the call, possibly none; empty if
   *     there is no list and every holder of a certificate is a client
   */
  public Authenticator(Mode mode, Supplier<Optional<Principals>> principals) {
    this(mode, principals, Authenticator::noKerberos, Phase.REQUIRED, DelegationTokens.none());
  }

  /**
   * Creates an authenticator.
   *
   * @param principals as above
   * @param exchanges starts the verification of a Kerberos ticket
   * @param tokens the delegation tokens of the cluster
   */
  public Authenticator(
      Mode mode,
      Supplier<Optional<Principals>> principals,
      Supplier<KerberosExchange> exchanges,
      Phase phase,
      DelegationTokens tokens) {
    this.mode = mode;
    this.phase = phase;
    this.tokens = tokens;
    this.principals = principals;
    this.exchanges = exchanges;
  }

  /** Returns an authenticator that trusts every client. */
  public static Authenticator open() {
    return new Authenticator(Mode.NONE, Optional::empty);
  }

  /** Returns the proof required of clients. */
  public Mode mode() {
    return mode;
  }

  /** Fails: verifying a ticket is not possible where none is required. */
  static KerberosExchange noKerberos() {
    throw new IllegalStateException("no principal for Kerberos");
  }

  /** Returns true if a client without a proof is admitted under this name. */
  public boolean admitsUnproved(String name) {
    return mode == Mode.NONE || phase == Phase.PERMISSIVE && !proved.contains(name);
  }

  /** Records that a client has proved this name, which needs a proof from now on. */
  public void remember(String name) {
    if (phase == Phase.PERMISSIVE && proved.add(name) && proved.size() > Principals.MAX_LINES) {
      proved.remove(proved.iterator().next());
    }
  }

  /** Returns true if authentication is being enabled. */
  public boolean isPermissive() {
    return mode != Mode.NONE && phase == Phase.PERMISSIVE;
  }

  /** Returns random bytes for a challenge. */
  public Bytes nonce() {
    byte[] nonce = new byte[FrameLayout.NONCE_BYTES];
    random.nextBytes(nonce);
    return Bytes.wrap(nonce);
  }

  /** Verifies a proof of the secret of {@code name}; empty if it is wrong. */
  public Optional<Principals.Proven> prove(String name, Principals.Exchange exchange, Bytes mac) {
    return principals.get().orElse(NOBODY).prove(name, exchange, mac);
  }

  /** Verifies a client's proof that it has the password of a valid delegation token. */
  public TokenProof prove(DelegationToken token, Principals.Exchange exchange, Bytes mac) {
    // Only clients with the password learn why the token is not valid.
    Optional<SharedSecret> secret =
        tokens
            .password(token)
            .map(SharedSecret::new)
            .filter(
                known ->
                    SharedSecret.same(
                        known.clientMac(
                            exchange.serverNonce(), exchange.clientNonce(), exchange.credential()),
                        mac));
    if (secret.isEmpty()) {
      return new TokenProof.Refused(
          "the delegation token is of another cluster or of a retired cluster key, or its password"
              + " is wrong: obtain a new one",
          false);
    }
    if (!tokens.isUpToDate()) {
      return new TokenProof.Refused(
          "renewed and cancelled tokens cannot be read from ZooKeeper", true);
    }
    Optional<String> problem = tokens.problem(token);
    if (problem.isPresent()) {
      return new TokenProof.Refused(problem.get(), false);
    }
    return owner(token)
        .<TokenProof>map(
            owner ->
                new TokenProof.Holds(
                    owner,
                    secret
                        .get()
                        .serverMac(
                            exchange.serverNonce(), exchange.clientNonce(), exchange.credential())))
        .orElseGet(
            () ->
                new TokenProof.Refused(
                    "the owner of the delegation token has not the role client any more", false));
  }

  /** Returns a token's current owner, without the roles that a token never has. */
  private Optional<Principal> owner(DelegationToken token) {
    String name = token.owner();
    return (mode == Mode.KERBEROS ? ticketed(name) : certified(name)).flatMap(Principal::byToken);
  }

  /** Returns true if a token is still valid for a principal that was admitted by it. */
  public boolean stands(Principal principal, DelegationToken token) {
    return tokens.problem(token).isEmpty() && owner(token).filter(principal::equals).isPresent();
  }

  /** Starts the verification of a Kerberos ticket. */
  public KerberosExchange exchange() {
    return exchanges.get();
  }

  /** Returns the principal of a ticket; of another realm only if the principals file lists it. */
  public Optional<Principal> ticketed(String name) {
    return certified(name).filter(principal -> principals.get().isPresent() || !name.contains("@"));
  }

  /** Returns the principal of a client certificate with this name. */
  public Optional<Principal> certified(String certificateName) {
    Optional<Principals> listed = principals.get();
    if (listed.isPresent()) {
      return listed.get().find(certificateName);
    }
    return Optional.of(
        new Principal(
            certificateName, Set.of(Principal.Role.CLIENT), List.of(Principal.ANY_TENANT)));
  }

  /**
   * Returns true if a principal is unchanged since it was admitted.
   *
   * @param shown the secret that admitted it, if any; must still be one of the principal's
   */
  public boolean stands(Principal principal, Optional<SharedSecret> shown) {
    if (mode == Mode.NONE) {
      return true;
    }
    return principals
        .get()
        .map(
            listed ->
                listed.find(principal.name()).filter(principal::equals).isPresent()
                    && shown.map(secret -> listed.keeps(principal.name(), secret)).orElse(true))
        .orElse(!principal.mayAdminister());
  }
}
