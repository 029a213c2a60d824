package io.lampone.protocol.connect;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.wire.Handshake;
import java.util.Map;
import javax.security.sasl.Sasl;
import javax.security.sasl.SaslClient;
import org.jspecify.annotations.Nullable;

/**
 * The client's side of an exchange by the SASL mechanism GSSAPI (RFC 4752) with mutual
 * authentication. Later traffic is neither signed nor encrypted by it; that is the task of TLS.
 */
final class GssapiClient {

  private static final String MECHANISM = "GSSAPI";
  private static final Map<String, String> OPTIONS =
      Map.of(Sasl.QOP, "auth", Sasl.SERVER_AUTH, "true");

  private final ClientKerberos kerberos;
  private final String host;

  private @Nullable SaslClient client;
  private int lastStep = -1;
  private volatile boolean complete;

  GssapiClient(ClientKerberos kerberos, String host) {
    this.kerberos = kerberos;
    this.host = host;
  }

  /** Returns true if the server has proved its identity and this client has sent its last token. */
  boolean isComplete() {
    return complete;
  }

  /**
   * Returns the answer to the server's step. May wait for a KDC.
   *
   * @throws MalformedException if the step is not the one that is due
   */
  ClientGreeting.Step answer(Handshake.Sasl received) {
    if (received.step() != lastStep + 1 || complete) {
      throw new MalformedException("SASL step out of turn, step=" + received.step());
    }
    try {
      byte[] token = kerberos.credentials().runWith(() -> evaluate(received));
      lastStep = received.step() + 1;
      return new ClientGreeting.Step.Say(
          new Handshake.Sasl(lastStep, token == null ? Bytes.EMPTY : Bytes.wrap(token)));
    } catch (MalformedException e) {
      throw e;
    } catch (Exception e) { // from the source of the tickets
      return KerberosFailures.refused(e);
    }
  }

  private byte @Nullable [] evaluate(Handshake.Sasl received) throws Exception {
    SaslClient current = client;
    if (current == null) {
      current =
          Sasl.createSaslClient(
              new String[] {MECHANISM}, null, kerberos.service(), host, OPTIONS, null);
      client = current;
    }
    byte[] token = current.evaluateChallenge(received.token().toArray());
    complete = current.isComplete();
    return token;
  }
}
