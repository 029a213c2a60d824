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
 * A client that has a secret, or a Kerberos ticket, does not accept a welcome of a server that has
 * not proved itself: else any server at that address could do without.
 */
public final class ClientGreeting {

  private final ClientSecurity security;
  private final long capabilities;
  private final SecureRandom random;
  private final Optional<GssapiClient> gssapi;

  /** Proof that the server must send; known once it has sent its challenge. */
  private Optional<Bytes> expectedMac = Optional.empty();

  /** True if the server has proved that it knows the secret. */
  private boolean secretProved;

  /** Why nothing comes of it. */
  public enum Refusal {
    /** Not at the moment: it may pass by itself. */
    TURNED_AWAY,
    /** No version in common. */
    INCOMPATIBLE,
    /** One of the two does not believe the other: only a person can help. */
    DISTRUSTED
  }

  /** Next step after a frame. */
  public sealed interface Step {

    /** Say this. */
    record Say(Handshake handshake) implements Step {}

    /**
     * Work that may wait for another server: not for event loops. One at a time; what follows is
     * its result, and what it throws is the end.
     */
    record Work(Supplier<Step> work) implements Step {}

    /** Wait for the next frame. */
    record Wait() implements Step {}

    /** The server serves. */
    record Welcomed(Handshake.Welcome welcome) implements Step {}

    /** It ends here; {@code problem} is for a person. */
    record Refused(Refusal refusal, String problem) implements Step {}
  }

  /**
   * @param configured how both convince each other; its tokens are looked up once, now
   * @param host the server's, as it advertises it
   * @param capabilities what the client can do besides proving itself and naming grants
   * @param random draws what is used once
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
   * Takes the server's next frame.
   *
   * @throws MalformedException if it is not one that may come now
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
      throw new MalformedException("proof that nobody asked for, kind=" + FrameKind.COUNTERPROOF);
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

  /** Returns true if the server has proved itself, by the secret or by Kerberos. */
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
