package io.lampone.protocol.connect;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.SharedSecret;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The client's side of one handshake, without the network (protocol page, Frames). Used by every
 * client: applications, tools, region servers, and a transaction manager that hands over.
 *
 * <pre>
 *   hello ---> challenge ---> (proof) ---> counterproof ---> welcome
 *        \---------------- without a secret ----------------^
 *        \---> sasl 0 ---> (sasl 1) ---> ... (sasl 5) ------^
 * </pre>
 *
 * A client with a secret or a Kerberos ticket accepts no welcome from a server that has not proved
 * its identity; otherwise any server at that address could omit the proof.
 */
public final class ClientGreeting {

  private final ClientSecurity security;
  private final long capabilities;
  private final SecureRandom random;
  private final Optional<GssapiClient> gssapi;

  /** Proof expected from the server; known once it has sent its challenge. */
  private Optional<Bytes> expectedMac = Optional.empty();

  /** True if the server has proved that it knows the secret. */
  private boolean secretProved;

  /** Reason for a failed handshake. */
  public enum Refusal {
    /** Temporary: a retry may succeed. */
    TURNED_AWAY,
    /** No version in common. */
    INCOMPATIBLE,
    /** One end does not trust the other: needs an administrator. */
    DISTRUSTED
  }

  /** Next step after a frame. */
  public sealed interface Step {

    /** Send this frame. */
    record Say(Handshake handshake) implements Step {}

    /**
     * Work that may wait for another server: not for event loops. One at a time; its result is the
     * next step, and an exception ends the handshake.
     */
    record Work(Supplier<Step> work) implements Step {}

    /** Wait for the next frame. */
    record Wait() implements Step {}

    /** The server accepts the client. */
    record Welcomed(Handshake.Welcome welcome) implements Step {}

    /** The handshake has failed; {@code problem} is an explanation for people. */
    record Refused(Refusal refusal, String problem) implements Step {}
  }

  /**
   * @param configured mutual authentication; its tokens are looked up once, now
   * @param host the server's host name as it advertises it
   * @param capabilities the client's capabilities besides authentication and grants
   * @param random source of nonces
   */
  public ClientGreeting(
      ClientSecurity configured, String host, long capabilities, SecureRandom random) {
    this.security = configured.now();
    this.gssapi = security.kerberos().map(kerberos -> new GssapiClient(kerberos, host));
    this.capabilities =
        capabilities
            | Capabilities.OWNERSHIP
            | (security.secret().isPresent() ? Capabilities.SECRET : 0)
            | (security.kerberos().isPresent() ? Capabilities.SASL : 0);
    this.random = random;
  }

  /** Returns this client's first frame. */
  public Handshake.Hello hello() {
    return new Handshake.Hello(
        FrameLayout.LOWEST_VERSION,
        FrameLayout.VERSION,
        capabilities,
        security.identity().credential());
  }

  /**
   * Processes the server's next frame.
   *
   * @throws MalformedException if the frame is out of turn
   */
  public Step next(FrameReader frame) {
    return switch (frame.kind()) {
      case REJECT -> rejected(Handshake.Reject.readFrom(frame));
      case CHALLENGE -> challenged(Handshake.Challenge.readFrom(frame));
      case COUNTERPROOF -> proved(Handshake.Counterproof.readFrom(frame));
      case SASL -> asked(Handshake.Sasl.readFrom(frame));
      case WELCOME -> welcomed(Handshake.Welcome.readFrom(frame));
      default -> throw new MalformedException("unexpected frame, kind=" + frame.kind());
    };
  }

  private Step challenged(Handshake.Challenge challenge) {
    if (security.secret().isEmpty()) {
      return distrust("it demands a shared secret and this client has none; configure the secret");
    }
    if (expectedMac.isPresent()) {
      throw new MalformedException("second challenge, kind=" + FrameKind.CHALLENGE);
    }
    SharedSecret secret = security.secret().get();
    byte[] drawn = new byte[FrameLayout.NONCE_BYTES];
    random.nextBytes(drawn);
    Bytes nonce = Bytes.wrap(drawn);
    Bytes credential = security.identity().credential();
    expectedMac = Optional.of(secret.serverMac(challenge.nonce(), nonce, credential));
    return new Step.Say(
        new Handshake.Proof(nonce, secret.clientMac(challenge.nonce(), nonce, credential)));
  }

  private Step proved(Handshake.Counterproof counterproof) {
    if (expectedMac.isEmpty()) {
      throw new MalformedException("proof that was not requested, kind=" + FrameKind.COUNTERPROOF);
    }
    if (!SharedSecret.same(expectedMac.get(), counterproof.mac())) {
      return distrust("it does not know the shared secret of this client; is it the right server?");
    }
    secretProved = true;
    return new Step.Wait();
  }

  private Step asked(Handshake.Sasl sasl) {
    if (gssapi.isEmpty()) {
      return distrust(
          "it demands a Kerberos ticket; set " + SecurityProperties.KERBEROS + "=true here");
    }
    return new Step.Work(() -> gssapi.get().answer(sasl));
  }

  /** Returns true if the server has proved its identity, by the secret or by Kerberos. */
  private boolean isBelieved() {
    return secretProved || gssapi.filter(GssapiClient::isComplete).isPresent();
  }

  private Step welcomed(Handshake.Welcome welcome) {
    if (security.secret().isPresent() && !isBelieved()) {
      return distrust(
          "it has not proved that it knows the shared secret; configure the secret on the server,"
              + " or remove it from this client");
    }
    if (security.kerberos().isPresent() && !isBelieved()) {
      return distrust(
          "it has not shown a Kerberos ticket; set lampone.tm.security.authentication=kerberos on"
              + " the server, or remove "
              + SecurityProperties.KERBEROS
              + " from this client");
    }
    if (welcome.version() < FrameLayout.LOWEST_VERSION || welcome.version() > FrameLayout.VERSION) {
      throw new MalformedException(
          "welcome to a version not offered, version=" + welcome.version());
    }
    return new Step.Welcomed(welcome);
  }

  private static Step distrust(String problem) {
    return new Step.Refused(Refusal.DISTRUSTED, "transaction manager is not believed: " + problem);
  }

  private Step rejected(Handshake.Reject reject) {
    return switch (reject.reason()) {
      case VERSION ->
          new Step.Refused(
              Refusal.INCOMPATIBLE,
              "no version of the protocol in common; upgrade the older side, clientVersions="
                  + range(FrameLayout.LOWEST_VERSION, FrameLayout.VERSION)
                  + " serverVersions="
                  + range(reject.lowestVersion(), reject.highestVersion()));
      case CREDENTIAL ->
          new Step.Refused(
              Refusal.DISTRUSTED,
              "transaction manager refuses this client, principal="
                  + security.identity().description()
                  + " text="
                  + reject.text());
      case NOT_PRIMARY, FULL ->
          new Step.Refused(Refusal.TURNED_AWAY, "refused by the server: " + reject.text());
    };
  }

  private static String range(int lowest, int highest) {
    return lowest + ".." + highest;
  }
}
