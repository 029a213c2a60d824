package io.lampone.tmclient;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.TransactionManagerException.Kind;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.Priority;
import io.lampone.protocol.wire.SharedSecret;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the two ends tell and prove to each other before anything is executed. */
@Timeout(180)
final class HandshakeTest {

  private static final long START = 1L << 60;
  private static final Bytes NONCE = Bytes.wrap(new byte[32]);
  private static final Identity SHOP = new Identity("shop", "sales");
  private static final SharedSecret SECRET = new SharedSecret(Bytes.utf8("sixteen bytes at least"));
  private static final SharedSecret OTHER_SECRET =
      new SharedSecret(Bytes.utf8("another one of that length"));

  private ScriptedServer server;
  private TransactionManagerClient client;

  @BeforeEach
  void start() throws Exception {
    server = new ScriptedServer();
    client = client(ClientSecurity.NONE.withIdentity(SHOP).withSecret(SECRET));
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    server.close();
  }

  @Test
  void bothEndsProveThatTheyKnowTheSecret() throws Exception {
    CompletableFuture<Begin> begin = client.begin();
    ScriptedServer.Talk talk = server.nextUngreeted();
    Handshake.Hello hello = Handshake.Hello.readFrom(talk.read());
    assertThat(Capabilities.has(hello.capabilities(), Capabilities.SECRET)).isTrue();
    assertThat(Identity.of(hello.credential())).isEqualTo(SHOP);
    talk.say(new Handshake.Challenge(NONCE));
    Handshake.Proof proof = Handshake.Proof.readFrom(talk.read());
    assertThat(proof.mac()).isEqualTo(SECRET.clientMac(NONCE, proof.nonce(), hello.credential()));
    talk.say(
        new Handshake.Counterproof(SECRET.serverMac(NONCE, proof.nonce(), hello.credential())));
    talk.say(welcome(0));
    answer(talk);
    assertThat(get(begin).startTimestamp()).isEqualTo(START);
  }

  @Test
  void aProofIsNeverMadeTwiceAlike() throws Exception {
    client.begin();
    Bytes first = nonceOfNextProof();
    Bytes second = nonceOfNextProof();
    assertThat(second).isNotEqualTo(first);
  }

  private Bytes nonceOfNextProof() throws Exception {
    ScriptedServer.Talk talk = server.nextUngreeted();
    talk.read();
    talk.say(new Handshake.Challenge(NONCE));
    Bytes nonce = Handshake.Proof.readFrom(talk.read()).nonce();
    talk.hangUp();
    return nonce;
  }

  @Test
  void aServerThatKnowsAnotherSecretIsNotBelieved() throws Exception {
    CompletableFuture<Begin> begin = client.begin();
    ScriptedServer.Talk talk = server.nextUngreeted();
    Bytes credential = Handshake.Hello.readFrom(talk.read()).credential();
    talk.say(new Handshake.Challenge(NONCE));
    Handshake.Proof proof = Handshake.Proof.readFrom(talk.read());
    talk.say(new Handshake.Counterproof(OTHER_SECRET.serverMac(NONCE, proof.nonce(), credential)));
    talk.sayInVain(welcome(0));
    assertThat(failure(begin).kind()).isEqualTo(Kind.REJECTED);
    assertThat(failure(begin)).hasMessageContaining("does not know the shared secret");
    talk.awaitEnd();
  }

  /** It might send back what it was sent. */
  @Test
  void aServerThatReflectsTheProofIsNotBelieved() throws Exception {
    CompletableFuture<Begin> begin = client.begin();
    ScriptedServer.Talk talk = server.nextUngreeted();
    talk.read();
    talk.say(new Handshake.Challenge(NONCE));
    talk.say(new Handshake.Counterproof(Handshake.Proof.readFrom(talk.read()).mac()));
    talk.sayInVain(welcome(0));
    assertThat(failure(begin)).hasMessageContaining("does not know the shared secret");
  }

  @Test
  void aServerThatProvesNothingIsNotBelieved() throws Exception {
    CompletableFuture<Begin> begin = client.begin();
    ScriptedServer.Talk talk = server.nextUngreeted();
    talk.read();
    talk.say(welcome(0));
    assertThat(failure(begin).kind()).isEqualTo(Kind.REJECTED);
    assertThat(failure(begin))
        .hasMessageContaining("has not proved")
        .hasMessageContaining("remove");
  }

  @Test
  void aCounterproofBeforeTheChallengeProvesNothing() throws Exception {
    CompletableFuture<Begin> begin = client.begin();
    ScriptedServer.Talk talk = server.nextUngreeted();
    talk.read();
    talk.say(new Handshake.Counterproof(NONCE));
    talk.awaitEnd();
    assertThat(begin).isNotDone();
  }

  @Test
  void aClientWithoutASecretSaysSo() throws Exception {
    client.close();
    client = client(ClientSecurity.NONE);
    CompletableFuture<Begin> begin = client.begin();
    ScriptedServer.Talk talk = server.nextUngreeted();
    Handshake.Hello hello = Handshake.Hello.readFrom(talk.read());
    assertThat(Capabilities.has(hello.capabilities(), Capabilities.SECRET)).isFalse();
    talk.say(new Handshake.Challenge(NONCE));
    assertThat(failure(begin).kind()).isEqualTo(Kind.REJECTED);
    assertThat(failure(begin)).hasMessageContaining("configure the secret");
  }

  @Test
  void aRefusedPrincipalIsNamedAndNobodyIsKeptWaiting() throws Exception {
    CompletableFuture<Begin> begin = client.begin();
    server
        .nextUngreeted()
        .say(new Handshake.Reject(Handshake.Reason.CREDENTIAL, 1, 1, "unknown principal"));
    assertThat(failure(begin).kind()).isEqualTo(Kind.REJECTED);
    assertThat(failure(begin)).hasMessageContaining("principal=shop text=unknown principal");
    // Corrected on the server: the same client goes on.
    CompletableFuture<Begin> later = client.begin();
    ScriptedServer.Talk talk = server.nextUngreeted();
    Bytes credential = Handshake.Hello.readFrom(talk.read()).credential();
    talk.say(new Handshake.Challenge(NONCE));
    Handshake.Proof proof = Handshake.Proof.readFrom(talk.read());
    talk.say(new Handshake.Counterproof(SECRET.serverMac(NONCE, proof.nonce(), credential)));
    talk.say(welcome(0));
    answer(talk);
    get(later);
  }

  @Test
  void anOlderServerIsSentNoPriorities() throws Exception {
    client.close();
    client = client(ClientSecurity.NONE);
    CompletableFuture<Begin> begin = client.withPriority(Priority.SYSTEM).begin();
    ScriptedServer.Talk talk = greeted(0);
    WireRequest request = talk.request();
    assertThat(talk.firstPriority()).isZero();
    talk.reply(begun(request));
    get(begin);
  }

  @Test
  void aServerThatKnowsPrioritiesIsToldThem() throws Exception {
    client.close();
    client = client(ClientSecurity.NONE);
    ScriptedServer.Talk talk = null;
    for (Priority priority : Priority.values()) {
      CompletableFuture<Begin> begin = client.withPriority(priority).begin();
      if (talk == null) {
        talk = greeted(Capabilities.PRIORITY);
      }
      WireRequest request = talk.request();
      assertThat(talk.firstPriority()).isEqualTo(priority.code());
      talk.reply(begun(request));
      get(begin);
    }
  }

  /** What it can do beyond what this client knows is none of the client's business. */
  @Test
  void aNewerServerIsUnderstood() throws Exception {
    client.close();
    client = client(ClientSecurity.NONE);
    CompletableFuture<Begin> begin = client.begin();
    ScriptedServer.Talk talk = greeted(-1L);
    talk.reply(begun(talk.request()));
    get(begin);
  }

  @Test
  void aWelcomeToAVersionThatWasNotOfferedIsNone() throws Exception {
    client.close();
    client = client(ClientSecurity.NONE);
    client.begin();
    ScriptedServer.Talk talk = server.nextUngreeted();
    talk.read();
    talk.say(
        new Handshake.Welcome(
            2, 0, 1, ScriptedServer.MAX_FRAME_BYTES, ScriptedServer.MAX_MESSAGES));
    talk.awaitEnd();
  }

  private ScriptedServer.Talk greeted(long capabilities) throws Exception {
    ScriptedServer.Talk talk = server.nextUngreeted();
    Handshake.Hello.readFrom(talk.read());
    talk.say(welcome(capabilities));
    return talk;
  }

  private static void answer(ScriptedServer.Talk talk) throws Exception {
    talk.reply(begun(talk.request()));
  }

  private static WireReply begun(WireRequest request) {
    return new WireReply.Begun(request.id(), new Begin(START, 256, Proofs.OPEN.grant(START, 0)));
  }

  private static Handshake.Welcome welcome(long capabilities) {
    return new Handshake.Welcome(
        1, capabilities, 1, ScriptedServer.MAX_FRAME_BYTES, ScriptedServer.MAX_MESSAGES);
  }

  private TransactionManagerClient client(ClientSecurity security) {
    return TransactionManagerClient.create(
        TransactionManagerClientConfig.builder()
            .backoffCap(Duration.ofMillis(20))
            .connectTimeout(Duration.ofSeconds(20))
            .stallTimeout(Duration.ofSeconds(20))
            .security(security)
            .build(),
        server.address());
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(60, TimeUnit.SECONDS);
  }

  private static TransactionManagerException failure(CompletableFuture<?> future) throws Exception {
    try {
      throw new AssertionError("succeeded: " + get(future));
    } catch (ExecutionException e) {
      return (TransactionManagerException) e.getCause();
    }
  }
}
