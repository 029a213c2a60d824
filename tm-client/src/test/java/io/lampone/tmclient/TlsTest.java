package io.lampone.tmclient;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.connect.ClientTls;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.TransactionManagerException.Kind;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ServerSocketFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Encrypted connections, and each way in which the two ends may not trust each other. */
@Timeout(180)
final class TlsTest {

  private static final long START = 1L << 60;
  private static final String LOOPBACK = "ip:127.0.0.1";

  @TempDir static Path folder;

  private static TestAuthority ours;
  private static TestAuthority theirs;
  private static TestAuthority.Issued server;
  private static TestAuthority.Issued client;
  private static TestAuthority.Issued stranger;
  private static TestAuthority.Issued elsewhere;

  @BeforeAll
  static void issueCertificates() throws Exception {
    ours = new TestAuthority(folder, "ours");
    theirs = new TestAuthority(folder, "theirs");
    server = ours.issue("server", LOOPBACK);
    client = ours.issue("client", LOOPBACK);
    stranger = theirs.issue("stranger", LOOPBACK);
    elsewhere = ours.issue("elsewhere", "dns:elsewhere.example");
  }

  @Test
  void requestsTravelOverTls() throws Exception {
    try (ScriptedServer tls = new ScriptedServer(sockets(server));
        TransactionManagerClient asking = client(tls, tls(ours, client, true))) {
      CompletableFuture<Begin> begin = asking.begin();
      ScriptedServer.Talk talk = tls.next();
      WireRequest request = talk.request();
      talk.reply(
          new WireReply.Begun(request.id(), new Begin(START, 256, Proofs.OPEN.grant(START, 0))));
      assertThat(begin.get(60, TimeUnit.SECONDS).startTimestamp()).isEqualTo(START);
    }
  }

  /** The certificates are renewed while the client runs. */
  @Test
  void aConnectionIsMadeWithTheFilesAsTheyAreThen() throws Exception {
    TestAuthority.Issued own =
        new TestAuthority.Issued(
            Files.copy(stranger.certificate(), folder.resolve("renewed.pem")),
            Files.copy(stranger.key(), folder.resolve("renewed.key")));
    try (ScriptedServer tls = new ScriptedServer(sockets(server));
        TransactionManagerClient asking = client(tls, tls(ours, own, true))) {
      CompletableFuture<Begin> refused = asking.begin();
      letShakeHands(tls);
      assertThat(failure(refused).kind()).isEqualTo(Kind.REJECTED);
      Files.copy(client.certificate(), own.certificate(), REPLACE_EXISTING);
      Files.copy(client.key(), own.key(), REPLACE_EXISTING);
      CompletableFuture<Begin> begin = asking.begin();
      ScriptedServer.Talk talk = tls.next();
      talk.reply(
          new WireReply.Begun(
              talk.request().id(), new Begin(START, 256, Proofs.OPEN.grant(START, 0))));
      assertThat(begin.get(60, TimeUnit.SECONDS).startTimestamp()).isEqualTo(START);
    }
  }

  @Test
  void whileARenewedFileCannotBeUsed_whatWasReadBeforeIsUsed() throws Exception {
    Path authority = Files.copy(ours.certificate(), folder.resolve("damaged.pem"));
    Optional<ClientTls> files =
        Optional.of(
            new ClientTls(
                Optional.of(authority),
                Optional.of(client.certificate()),
                Optional.of(client.key()),
                true));
    try (ScriptedServer tls = new ScriptedServer(sockets(server));
        TransactionManagerClient asking = client(tls, files)) {
      Files.writeString(authority, "half of a fi");
      CompletableFuture<Begin> begin = asking.begin();
      ScriptedServer.Talk talk = tls.next();
      talk.reply(
          new WireReply.Begun(
              talk.request().id(), new Begin(START, 256, Proofs.OPEN.grant(START, 0))));
      assertThat(begin.get(60, TimeUnit.SECONDS).startTimestamp()).isEqualTo(START);
    }
  }

  @Test
  void aServerOfAnotherAuthorityIsNotBelieved() throws Exception {
    try (ScriptedServer tls = new ScriptedServer(sockets(stranger));
        TransactionManagerClient asking = client(tls, tls(ours, client, true))) {
      CompletableFuture<Begin> begin = asking.begin();
      letShakeHands(tls);
      assertThat(failure(begin).kind()).as(failure(begin).getMessage()).isEqualTo(Kind.REJECTED);
      assertThat(failure(begin)).hasMessageContaining("not signed by an authority");
    }
  }

  @Test
  void aServerWhoseCertificateIsMadeOutToAnotherHostIsNotBelievedUnlessTold() throws Exception {
    try (ScriptedServer tls = new ScriptedServer(sockets(elsewhere));
        TransactionManagerClient strict = client(tls, tls(ours, client, true));
        TransactionManagerClient lenient = client(tls, tls(ours, client, false))) {
      CompletableFuture<Begin> begin = strict.begin();
      letShakeHands(tls);
      assertThat(failure(begin).kind()).as(failure(begin).getMessage()).isEqualTo(Kind.REJECTED);
      assertThat(failure(begin)).hasMessageContaining("another host");
      CompletableFuture<Begin> believed = lenient.begin();
      ScriptedServer.Talk talk = tls.next();
      talk.reply(
          new WireReply.Begun(
              talk.request().id(), new Begin(START, 256, Proofs.OPEN.grant(START, 0))));
      believed.get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void aServerWhoseCertificateHasEndedOrIsNotValidYetIsToldFromAStranger() throws Exception {
    assertUntimely(ours.issue("ended", LOOPBACK, "-3d"), "its certificate has ended, NotAfter: ");
    assertUntimely(
        ours.issue("early", LOOPBACK, "+1d"), "its certificate is not valid yet, NotBefore: ");
  }

  private static void assertUntimely(TestAuthority.Issued untimely, String problem)
      throws Exception {
    try (ScriptedServer tls = new ScriptedServer(sockets(untimely));
        TransactionManagerClient asking = client(tls, tls(ours, client, true))) {
      CompletableFuture<Begin> begin = asking.begin();
      letShakeHands(tls);
      assertThat(failure(begin).kind()).as(failure(begin).getMessage()).isEqualTo(Kind.REJECTED);
      assertThat(failure(begin))
          .hasMessageContaining(problem)
          .hasMessageContaining("the clocks of both ends")
          .hasMessageNotContaining("authority");
    }
  }

  /** No alert says for certain what was wrong with a certificate. */
  @Test
  void aClientWhoseCertificateHasEndedIsAskedWhetherItHas() throws Exception {
    TestAuthority.Issued ended = ours.issue("ended-client", LOOPBACK, "-3d");
    try (ScriptedServer tls = new ScriptedServer(sockets(server));
        TransactionManagerClient asking = client(tls, tls(ours, ended, true))) {
      CompletableFuture<Begin> begin = asking.begin();
      letShakeHands(tls);
      assertThat(failure(begin).kind()).as(failure(begin).getMessage()).isEqualTo(Kind.REJECTED);
      assertThat(failure(begin)).hasMessageContaining("has this client's ended?");
    }
  }

  @Test
  void aClientCertificateOfAnotherAuthorityIsRefusedAndTheReasonIsTold() throws Exception {
    try (ScriptedServer tls = new ScriptedServer(sockets(server));
        TransactionManagerClient asking = client(tls, tls(ours, stranger, true))) {
      CompletableFuture<Begin> begin = asking.begin();
      letShakeHands(tls);
      assertThat(failure(begin).kind()).as(failure(begin).getMessage()).isEqualTo(Kind.REJECTED);
      assertThat(failure(begin)).hasMessageContaining("client certificate");
    }
  }

  @Test
  void aPlainClientIsToldThatTheServerMayDemandTls() throws Exception {
    try (ScriptedServer tls = new ScriptedServer(sockets(server));
        TransactionManagerClient asking = client(tls, Optional.empty())) {
      CompletableFuture<Begin> begin = asking.begin();
      letShakeHands(tls);
      assertThat(failure(begin).kind()).as(failure(begin).getMessage()).isEqualTo(Kind.REJECTED);
      assertThat(failure(begin)).hasMessageContaining("it speaks TLS");
    }
  }

  @Test
  void aClientThatWantsTlsIsToldThatTheServerSpeaksNone() throws Exception {
    try (ScriptedServer plain = new ScriptedServer();
        TransactionManagerClient asking = client(plain, tls(ours, client, true))) {
      CompletableFuture<Begin> begin = asking.begin();
      // What one of our servers does with what it cannot read.
      plain.nextUngreeted().hangUp();
      assertThat(failure(begin).kind()).isEqualTo(Kind.UNAVAILABLE);
      assertThat(failure(begin)).hasMessageContaining("does the server speak TLS?");
    }
  }

  @Test
  void filesThatHoldSomethingElseAreNamed() throws Exception {
    Path nonsense = Files.writeString(folder.resolve("nonsense.pem"), "nonsense");
    try (ScriptedServer plain = new ScriptedServer()) {
      assertThatThrownBy(
              () ->
                  client(
                      plain,
                      Optional.of(
                          new ClientTls(
                              Optional.of(nonsense), Optional.empty(), Optional.empty(), true))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("nonsense.pem");
    }
    assertThatThrownBy(
            () ->
                new ClientTls(
                    Optional.empty(), Optional.of(client.certificate()), Optional.empty(), true))
        .hasMessageContaining("needs its key");
    assertThatThrownBy(
            () ->
                new ClientTls(
                    Optional.of(folder.resolve("missing")),
                    Optional.empty(),
                    Optional.empty(),
                    true))
        .hasMessageContaining("no readable file");
  }

  /** The handshake is done by whoever reads first; here it is not to succeed. */
  private static void letShakeHands(ScriptedServer tls) throws Exception {
    ScriptedServer.Talk talk = tls.nextUngreeted();
    try {
      talk.read();
    } catch (IOException e) {
      // As it should be.
    }
    talk.hangUp();
  }

  private static ServerSocketFactory sockets(TestAuthority.Issued issued) throws Exception {
    JdkSslContext context =
        (JdkSslContext)
            SslContextBuilder.forServer(issued.certificate().toFile(), issued.key().toFile())
                .trustManager(ours.certificate().toFile())
                .sslProvider(SslProvider.JDK)
                .protocols("TLSv1.3")
                .build();
    return context.context().getServerSocketFactory();
  }

  private static Optional<ClientTls> tls(
      TestAuthority authority, TestAuthority.Issued own, boolean verifyHost) {
    return Optional.of(
        new ClientTls(
            Optional.of(authority.certificate()),
            Optional.of(own.certificate()),
            Optional.of(own.key()),
            verifyHost));
  }

  private static TransactionManagerClient client(ScriptedServer to, Optional<ClientTls> tls) {
    ClientSecurity security = tls.map(ClientSecurity.NONE::withTls).orElse(ClientSecurity.NONE);
    return TransactionManagerClient.create(
        TransactionManagerClientConfig.builder()
            .backoffCap(Duration.ofMillis(20))
            .requestTimeout(Duration.ofSeconds(15))
            // Longer, so that the last problem is what the server did and never that it took long.
            .connectTimeout(Duration.ofSeconds(60))
            .security(security)
            .build(),
        to.address());
  }

  private static TransactionManagerException failure(CompletableFuture<?> future) throws Exception {
    try {
      throw new AssertionError("succeeded: " + future.get(60, TimeUnit.SECONDS));
    } catch (ExecutionException e) {
      return (TransactionManagerException) e.getCause();
    }
  }
}
