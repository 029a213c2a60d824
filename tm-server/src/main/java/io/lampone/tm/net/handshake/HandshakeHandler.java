package io.lampone.tm.net.handshake;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.trust.DelegationToken;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.Handshake.Reason;
import io.lampone.protocol.wire.Identity;
import io.lampone.tm.net.ClientSession;
import io.lampone.tm.net.ServerLimits;
import io.lampone.tm.security.Authenticator;
import io.lampone.tm.security.KerberosExchange;
import io.lampone.tm.security.Principal;
import io.lampone.tm.security.Principals;
import io.lampone.tm.security.TokenProof;
import java.time.Duration;
import java.util.Optional;

/**
 * The handshake of a client from its first frame to the welcome (protocol page, section 7). The
 * only class that changes the state of a handshake:
 *
 * <pre>
 *   HELLO -> PROOF      a secret is demanded, or a delegation token is named: challenge
 *   HELLO -> WELCOMED   nothing is demanded, or a certificate suffices: welcome
 *   PROOF -> WELCOMED   the proof holds: counterproof, welcome
 *   HELLO -> TICKET     a Kerberos ticket is demanded: sasl 0
 *   TICKET -> TICKET    sasl 2, sasl 4
 *   TICKET -> WELCOMED  the ticket holds: welcome
 *   HELLO, PROOF, TICKET -> REJECTED   reject
 * </pre>
 *
 * <p>WELCOMED and REJECTED are terminal: a connection has one attempt. A frame out of turn throws
 * and ends the connection. The claims of a client are evaluated only as far as the previous step
 * permits.
 */
public final class HandshakeHandler {

  /** State of a handshake. */
  enum State {
    HELLO,
    PROOF,
    TICKET,
    WELCOMED,
    REJECTED
  }

  private final HandshakeContext handshakeContext;
  private final AcceptedConnection arrival;

  private State state = State.HELLO;

  /** The hello, once it has arrived. */
  private Handshake.Hello hello = Handshake.Hello.current();

  /** Identity claimed in the hello; trusted only after the proof. */
  private Identity claimed = Identity.NOBODY;

  /** Nonce of the challenge to the client. */
  private Bytes serverNonce = Bytes.EMPTY;

  /** Verifies the client's ticket. */
  private Optional<KerberosExchange> exchange = Optional.empty();

  /** The expected SASL step. */
  private int dueStep = 1;

  /** True while the server verifies a token; no frame may arrive until then. */
  private boolean verifying;

  /** Credentials that the client has shown so far. */
  private ClientSession.Shown shown = ClientSession.Shown.NOTHING;

  private Optional<ClientSession> clientSession = Optional.empty();

  public HandshakeHandler(HandshakeContext handshakeContext, AcceptedConnection arrival) {
    this.handshakeContext = handshakeContext;
    this.arrival = arrival;
  }

  State state() {
    return state;
  }

  /** Returns true if the handshake has ended. */
  public boolean isOver() {
    return state == State.WELCOMED || state == State.REJECTED;
  }

  /** Returns the session of the client after the welcome. */
  public Optional<ClientSession> clientSession() {
    return clientSession;
  }

  /**
   * Processes the client's next frame and answers it.
   *
   * @throws MalformedException if the frame is out of turn
   */
  public void read(FrameReader frame) {
    switch (state) {
      case HELLO -> onHello(frame);
      case PROOF -> onProof(Handshake.Proof.readFrom(frame));
      case TICKET -> onToken(Handshake.Sasl.readFrom(frame));
      case WELCOMED, REJECTED ->
          throw new MalformedException("frame after the handshake, kind=" + frame.kind());
    }
  }

  /** Returns the maximum length of the next frame, head included. */
  public int maxFrameBytes() {
    return state == State.TICKET
        ? FrameLayout.MAX_SASL_FRAME_BYTES
        : FrameLayout.MAX_HANDSHAKE_BYTES;
  }

  private void onHello(FrameReader frame) {
    if (frame.kind() != FrameKind.HELLO) {
      throw new MalformedException("frame before the hello, kind=" + frame.kind());
    }
    hello = Handshake.Hello.readFrom(frame);
    if (arrival.full() && !isForOperators()) {
      reject(Reason.FULL, ConnectionSlots.TOO_MANY);
    } else if (version() < Math.max(hello.lowestVersion(), FrameLayout.LOWEST_VERSION)) {
      reject(
          Reason.VERSION,
          "no version of the protocol in common: update the older one of client and server");
    } else if (!wants(Capabilities.OWNERSHIP) && !isForOperators()) {
      reject(Reason.VERSION, "the client does not know grants: update it");
    } else if (arrival.lacksTls()) {
      reject(Reason.CREDENTIAL, "this transaction manager talks TLS only: switch TLS on");
    } else if (handshakeContext.leading().isEmpty() && !isForOperators()) {
      // Before the identity is proved: a client that looks for the primary need not authenticate to
      // every backup, and the primary's address is in ZooKeeper anyway.
      reject(Reason.NOT_PRIMARY, "not the primary transaction manager");
    } else {
      identify();
    }
  }

  private void identify() {
    Authenticator authenticator = handshakeContext.authenticator();
    if (authenticator.mode() == Authenticator.Mode.NONE) {
      // A credential that this version cannot decode is harmless: nothing depends on it.
      claimed =
          readable(hello.credential())
              .filter(identity -> identity.token().isEmpty())
              .orElse(Identity.NOBODY);
      admit(Principal.unproved(claimed.principal(), arrival.local()), Optional.empty());
      return;
    }
    Optional<Identity> said = readable(hello.credential());
    if (said.isEmpty()) {
      reject(
          Reason.CREDENTIAL,
          "the credential cannot be read: it holds a principal, a newline and a tenant");
      return;
    }
    claimed = said.get();
    Optional<String> certificate = arrival.certificateName();
    boolean canProve = Capabilities.has(hello.capabilities(), Capabilities.SECRET);
    if (claimed.token().isPresent()) {
      // In every mode, because a task has no other credential; a token is trusted only after a
      // proof.
      challenge(canProve, "a delegation token is proved by its password: configure both");
    } else if (certificate.isPresent() && contradicts(certificate.get())) {
      reject(
          Reason.CREDENTIAL,
          "the hello names another principal than the certificate, name=" + certificate.get());
    } else if (authenticator.mode() == Authenticator.Mode.KERBEROS) {
      demandTicket(authenticator);
    } else if (certificate.isPresent()
        && !(canProve && authenticator.mode() == Authenticator.Mode.SECRET)) {
      admitHolder(
          authenticator.certified(certificate.get()),
          ClientSession.Shown.CERTIFICATE,
          "of this certificate, name=" + certificate.get());
    } else if (certificate.isEmpty() && authenticator.mode() == Authenticator.Mode.CERTIFICATE) {
      showsNothing(
          "this transaction manager demands a client certificate: configure certificate and key");
    } else if (!canProve) {
      showsNothing("this transaction manager demands a principal and its secret: configure both");
    } else {
      // Also with an acceptable certificate: a client with a secret trusts only a server that
      // proves to know it, and during a migration from secrets to certificates clients have both.
      challenge(true, "");
    }
  }

  private void challenge(boolean canProve, String demand) {
    if (canProve) {
      serverNonce = handshakeContext.authenticator().nonce();
      state = State.PROOF;
      arrival.send(new Handshake.Challenge(serverNonce));
    } else {
      reject(Reason.CREDENTIAL, demand);
    }
  }

  /**
   * Handles a client without a proof.
   *
   * @param demand the remedy for people
   */
  private void showsNothing(String demand) {
    Authenticator authenticator = handshakeContext.authenticator();
    if (authenticator.admitsUnproved(claimed.principal())) {
      admit(Principal.unproved(claimed.principal(), arrival.local()), Optional.empty());
    } else {
      String hint = "this principal has proved itself before and must do so; ";
      reject(Reason.CREDENTIAL, authenticator.isPermissive() ? hint + demand : demand);
    }
  }

  private void demandTicket(Authenticator authenticator) {
    if (!Capabilities.has(hello.capabilities(), Capabilities.SASL)) {
      showsNothing(
          "this transaction manager demands a Kerberos ticket: set"
              + " lampone.client.manager.kerberos=true");
      return;
    }
    exchange = Optional.of(authenticator.exchange());
    state = State.TICKET;
    arrival.send(Handshake.Sasl.REQUEST);
  }

  private void onToken(Handshake.Sasl sasl) {
    if (verifying || sasl.step() != dueStep) {
      throw new MalformedException("SASL step out of turn, step=" + sasl.step());
    }
    verifying = true;
    KerberosExchange current = exchange.orElseThrow();
    arrival.apart(() -> current.next(sasl.token()), this::onOutcome);
  }

  private void onOutcome(KerberosExchange.Outcome outcome) {
    verifying = false;
    if (outcome instanceof KerberosExchange.Outcome.Token token) {
      arrival.send(new Handshake.Sasl(dueStep + 1, token.token()));
      dueStep += 2;
    } else if (outcome instanceof KerberosExchange.Outcome.Failed failed) {
      reject(Reason.CREDENTIAL, failed.problem());
    } else if (outcome instanceof KerberosExchange.Outcome.Proven proven) {
      onTicket(proven.name(), exchange.orElseThrow().lifetime());
    }
  }

  private void onTicket(String name, Duration lifetime) {
    if (contradicts(name)) {
      reject(Reason.CREDENTIAL, "the hello names another principal than the ticket, name=" + name);
    } else {
      admitHolder(
          handshakeContext.authenticator().ticketed(name),
          ClientSession.Shown.ticket(lifetime),
          "of this ticket, name=" + name);
    }
  }

  private void admitHolder(
      Optional<Principal> principal, ClientSession.Shown credential, String description) {
    if (principal.isEmpty()) {
      reject(Reason.CREDENTIAL, "the principals file does not name the holder " + description);
    } else {
      shown = credential;
      admit(principal.get(), Optional.empty());
    }
  }

  private boolean contradicts(String provenName) {
    return !claimed.principal().isEmpty() && !claimed.principal().equals(provenName);
  }

  private void onProof(Handshake.Proof proof) {
    Principals.Exchange exchange =
        new Principals.Exchange(serverNonce, proof.nonce(), hello.credential());
    Optional<DelegationToken> token = claimed.token();
    if (token.isPresent()) {
      onTokenProof(
          token.get(), handshakeContext.authenticator().prove(token.get(), exchange, proof.mac()));
      return;
    }
    Optional<Principals.Proven> proven =
        handshakeContext.authenticator().prove(claimed.principal(), exchange, proof.mac());
    if (proven.isEmpty()) {
      // The same text for a wrong name and a wrong secret, so that neither reveals the other.
      reject(
          Reason.CREDENTIAL,
          "principal and secret do not fit: compare the client's with the principals file");
    } else {
      shown = ClientSession.Shown.secret(proven.get().secret());
      admit(
          proven.get().principal(),
          Optional.of(new Handshake.Counterproof(proven.get().counterMac())));
    }
  }

  private void onTokenProof(DelegationToken token, TokenProof proof) {
    if (proof instanceof TokenProof.Refused refused) {
      reject(refused.forNow() ? Reason.NOT_PRIMARY : Reason.CREDENTIAL, refused.problem());
    } else if (proof instanceof TokenProof.Holds holds) {
      shown = ClientSession.Shown.token(token);
      admit(holds.owner(), Optional.of(new Handshake.Counterproof(holds.counterMac())));
    }
  }

  private void admit(Principal principal, Optional<Handshake.Counterproof> counterproof) {
    Optional<String> tenant = principal.tenant(claimed.tenant());
    boolean commands = wants(Capabilities.COMMANDS);
    if (tenant.isEmpty()) {
      reject(
          Reason.CREDENTIAL, "the principal may not use this tenant, tenant=" + claimed.tenant());
    } else if (wants(Capabilities.TRANSFER) && !principal.mayAdminister()) {
      reject(Reason.CREDENTIAL, "only an administrator may hand over a transaction manager");
    } else if (!principal.mayRequest() && !commands && !wants(Capabilities.TRANSFER)) {
      reject(Reason.CREDENTIAL, "the principal has not the role client");
    } else {
      // Checked again: the proof has taken time.
      long epoch = handshakeContext.leading().map(record -> record.epoch()).orElse(0L);
      if (epoch == 0 && !isForOperators()) {
        reject(Reason.NOT_PRIMARY, "not the primary transaction manager");
        return;
      }
      seat(principal, tenant.get(), epoch, counterproof);
    }
  }

  private void seat(
      Principal principal,
      String tenant,
      long epoch,
      Optional<Handshake.Counterproof> counterproof) {
    Optional<String> provedFrom = Optional.of(arrival.address()).filter(from -> shown.proved());
    ConnectionSlots.Slot slot =
        handshakeContext
            .slots()
            .take(principal, tenant, provedFrom, arrival.full(), isForOperators());
    if (slot instanceof ConnectionSlots.Slot.Refused refused) {
      reject(Reason.FULL, refused.problem());
    } else if (slot instanceof ConnectionSlots.Slot.Taken taken) {
      ClientSession session =
          new ClientSession(
              principal, tenant, taken.tenant(), common(), epoch, taken.reserved(), shown);
      session.onLeave(taken.onLeave());
      welcome(session, counterproof);
    }
  }

  private void welcome(ClientSession welcomed, Optional<Handshake.Counterproof> counterproof) {
    state = State.WELCOMED;
    clientSession = Optional.of(welcomed);
    if (shown.proved()) {
      handshakeContext.authenticator().remember(welcomed.principal().name());
    }
    counterproof.ifPresent(arrival::send);
    ServerLimits limits = handshakeContext.limits();
    arrival.send(
        new Handshake.Welcome(
            version(),
            welcomed.capabilities(),
            welcomed.epoch(),
            limits.maxFrameBytes(),
            limits.maxMessages()));
  }

  private void reject(Reason reason, String text) {
    state = State.REJECTED;
    handshakeContext.rejected(reason, claimed.description(), arrival);
    arrival.send(
        new Handshake.Reject(reason, FrameLayout.LOWEST_VERSION, FrameLayout.VERSION, text));
  }

  private int version() {
    return Math.min(hello.highestVersion(), FrameLayout.VERSION);
  }

  private long common() {
    return hello.capabilities() & handshakeContext.capabilities();
  }

  private boolean wants(long capability) {
    return Capabilities.has(common(), capability);
  }

  /** Returns true if it sends more than requests, which a backup or a full server accepts too. */
  private boolean isForOperators() {
    return wants(Capabilities.COMMANDS) || wants(Capabilities.TRANSFER);
  }

  private static Optional<Identity> readable(Bytes credential) {
    try {
      return Optional.of(Identity.of(credential));
    } catch (MalformedException e) {
      return Optional.empty();
    }
  }
}
