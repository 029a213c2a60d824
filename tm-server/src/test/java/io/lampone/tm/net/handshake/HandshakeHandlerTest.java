package io.lampone.tm.net.handshake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.Handshake.Reason;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.SharedSecret;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.admission.AdmissionSettings;
import io.lampone.tm.admission.Quotas;
import io.lampone.tm.admission.Tenant;
import io.lampone.tm.admission.Tenants;
import io.lampone.tm.core.ManualClock;
import io.lampone.tm.net.ClientSession;
import io.lampone.tm.net.ServerLimits;
import io.lampone.tm.net.handshake.HandshakeHandler.State;
import io.lampone.tm.security.Authenticator;
import io.lampone.tm.security.Authenticator.Mode;
import io.lampone.tm.security.Principals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The server's side of the handshake, without a socket. */
final class HandshakeHandlerTest {

  private static final long EPOCH = 7;
  private static final String SECRET = "a secret of the shop's".replace(' ', '-');
  private static final String ROOT_SECRET = "the-secret-of-the-root";
  private static final Principals PRINCIPALS =
      Principals.parse(
          List.of(
              "shop client shop,books " + SECRET,
              "shop client shop,books another-secret-of-the-shop",
              "root administrator * " + ROOT_SECRET,
              "certified client,administrator * -"));
  private static final Bytes CLIENT_NONCE = Bytes.utf8("a nonce of the client's, 32 byte");

  private final FrameWriter writer = new FrameWriter();
  private final List<Handshake> sent = new ArrayList<>();
  private final List<Reason> rejections = new ArrayList<>();
  private final Tenants tenants =
      new Tenants(Quotas.parse(List.of("shop connections=1", "books")), new ManualClock());

  private Mode mode = Mode.NONE;
  private Optional<Principals> principals = Optional.of(PRINCIPALS);
  private boolean primary = true;
  private boolean full;
  private boolean local = true;
  private boolean lacksTls;
  private Optional<String> certificate = Optional.empty();
  private HandshakeHandler greeting = greeting();

  @Test
  void anOlderClientThatKnowsNoGrantsIsToldToUpdate() {
    read(new Handshake.Hello(1, 1, 0, Bytes.EMPTY));
    assertThat(reject(Reason.VERSION).text()).contains("grants");
  }

  @Test
  void aClientThatKnowsGrantsAndNothingElseIsWelcome() {
    read(new Handshake.Hello(1, 1, Capabilities.OWNERSHIP, Bytes.EMPTY));
    Handshake.Welcome welcome = welcome();
    assertThat(welcome.version()).isEqualTo(1);
    assertThat(welcome.capabilities()).isEqualTo(Capabilities.OWNERSHIP);
    assertThat(welcome.epoch()).isEqualTo(EPOCH);
    assertThat(greeting.clientSession().orElseThrow().mayRequest()).isTrue();
  }

  @Test
  void whereThereIsNoRoomOnlyAnAdministratorWithCommandsGetsIn() {
    mode = Mode.SECRET;
    full = true;
    greeting = greeting();
    long capabilities = Capabilities.OWNERSHIP | Capabilities.SECRET | Capabilities.COMMANDS;
    Bytes nonce = challenged("root", "", capabilities);
    prove(ROOT_SECRET, nonce, "root", "");
    welcome();
    ClientSession root = greeting.clientSession().orElseThrow();
    assertThat(root.tenant()).isSameAs(tenants.reserve());
    assertThat(root.mayAdminister()).isTrue();
    assertThat(root.mayRequest()).isFalse();
    root.recount(tenants);
    assertThat(tenants.reserve().connections()).isEqualTo(1);
    assertThat(tenants.all()).allMatch(tenant -> tenant.connections() == 0);

    greeting = greeting();
    sent.clear();
    nonce = challenged("shop", "", capabilities);
    prove(SECRET, nonce, "shop", "");
    assertThat(reject(Reason.FULL).text()).contains("too many connections");

    greeting = greeting();
    hello(Capabilities.SECRET, new Identity("root", ""));
    reject(Reason.FULL);
  }

  /** Without authentication who comes from elsewhere is no administrator. */
  @Test
  void onlyThisMachineAdministersWhereNothingNeedBeShown() {
    read(new Handshake.Hello(1, 1, Capabilities.COMMANDS, Bytes.EMPTY));
    welcome();
    assertThat(greeting.clientSession().orElseThrow().mayAdminister()).isTrue();
    local = false;
    greeting = greeting();
    sent.clear();
    read(new Handshake.Hello(1, 1, Capabilities.COMMANDS, Bytes.EMPTY));
    welcome();
    assertThat(greeting.clientSession().orElseThrow().mayAdminister()).isFalse();
    assertThat(greeting.clientSession().orElseThrow().mayRequest()).isTrue();
    greeting = greeting();
    sent.clear();
    read(new Handshake.Hello(1, 1, Capabilities.TRANSFER, Bytes.EMPTY));
    assertThat(reject(Reason.CREDENTIAL).text()).contains("only an administrator");
  }

  @Test
  void aNewerClientGetsTheVersionAndTheCapabilitiesThatBothHave() {
    read(new Handshake.Hello(1, 9, -1, Bytes.wrap(new byte[512])));
    Handshake.Welcome welcome = welcome();
    assertThat(welcome.version()).isEqualTo(1);
    assertThat(welcome.capabilities()).isEqualTo(offered());
  }

  @Test
  void aClientThatIsTooNewOrTooOldIsToldTheVersionsThatAreSpoken() {
    for (int[] versions : new int[][] {{2, 9}, {0, 0}, {5, 3}}) {
      greeting = greeting();
      read(new Handshake.Hello(versions[0], versions[1], Capabilities.OWNERSHIP, Bytes.EMPTY));
      Handshake.Reject reject = reject(Reason.VERSION);
      assertThat(reject.lowestVersion()).isEqualTo(1);
      assertThat(reject.highestVersion()).isEqualTo(1);
    }
  }

  @Test
  void whoKnowsTheSecretIsWelcomedAndSeesThatTheServerKnowsItToo() {
    mode = Mode.SECRET;
    for (String secret : new String[] {SECRET, "another-secret-of-the-shop"}) {
      greeting = greeting();
      sent.clear();
      Bytes serverNonce = challenged("shop", "books");
      assertThat(greeting.state()).isEqualTo(State.PROOF);
      prove(secret, serverNonce, "shop", "books");
      assertThat(sent.get(1))
          .isEqualTo(
              new Handshake.Counterproof(
                  new SharedSecret(Bytes.utf8(secret))
                      .serverMac(
                          serverNonce, CLIENT_NONCE, new Identity("shop", "books").credential())));
      welcome();
      ClientSession clientSession = greeting.clientSession().orElseThrow();
      assertThat(clientSession.principal().name()).isEqualTo("shop");
      assertThat(clientSession.tenant().name()).isEqualTo("books");
      assertThat(clientSession.mayAdminister()).isFalse();
    }
  }

  @Test
  void aWrongSecretAndAnUnknownNameTakeTheSamePathAndHearTheSame() {
    mode = Mode.SECRET;
    greeting = greeting();
    prove("not the secret, but long", challenged("shop", ""), "shop", "");
    Handshake.Reject wrongSecret = reject(Reason.CREDENTIAL);
    greeting = greeting();
    prove("not the secret, but long", challenged("nobody", ""), "nobody", "");
    assertThat(reject(Reason.CREDENTIAL)).isEqualTo(wrongSecret);
    greeting = greeting();
    prove("known by certificate only", challenged("certified", ""), "certified", "");
    assertThat(reject(Reason.CREDENTIAL)).isEqualTo(wrongSecret);
    assertThat(greeting.clientSession()).isEmpty();
  }

  @Test
  void everyChallengeIsAnotherOneSoThatNoProofDoesTwice() {
    mode = Mode.SECRET;
    greeting = greeting();
    Bytes first = challenged("shop", "");
    prove(SECRET, first, "shop", "");
    assertThat(greeting.state()).isEqualTo(State.WELCOMED);
    greeting = greeting();
    assertThat(challenged("shop", "")).isNotEqualTo(first);
    prove(SECRET, first, "shop", "");
    reject(Reason.CREDENTIAL);
  }

  @Test
  void aProofForAnotherTenantThanTheHelloNamedDoesNotDo() {
    mode = Mode.SECRET;
    greeting = greeting();
    prove(SECRET, challenged("shop", "books"), "shop", "shop");
    reject(Reason.CREDENTIAL);
  }

  @Test
  void thereIsOneAttemptOnAConnection() {
    mode = Mode.SECRET;
    greeting = greeting();
    Bytes nonce = challenged("shop", "");
    prove("not the secret, but long", nonce, "shop", "");
    reject(Reason.CREDENTIAL);
    assertThatThrownBy(() -> prove(SECRET, nonce, "shop", ""))
        .isInstanceOf(MalformedException.class);
    assertThat(greeting.clientSession()).isEmpty();
  }

  @Test
  void aClientThatCannotProveAnythingIsToldWhatToSwitchOn() {
    mode = Mode.SECRET;
    greeting = greeting();
    read(new Handshake.Hello(1, 1, Capabilities.OWNERSHIP, Bytes.EMPTY));
    assertThat(reject(Reason.CREDENTIAL).text()).contains("principal").contains("secret");
    mode = Mode.CERTIFICATE;
    greeting = greeting();
    read(new Handshake.Hello(1, 1, -1, new Identity("shop", "").credential()));
    assertThat(reject(Reason.CREDENTIAL).text()).contains("certificate");
    mode = Mode.NONE;
    lacksTls = true;
    greeting = greeting();
    read(Handshake.Hello.current());
    assertThat(reject(Reason.CREDENTIAL).text()).contains("TLS");
  }

  @Test
  void aCertificateStandsForThePrincipalOfItsNameAndForNoOther() {
    for (Mode each : new Mode[] {Mode.CERTIFICATE, Mode.SECRET}) {
      mode = each;
      certificate = Optional.of("certified");
      greeting = greeting();
      read(new Handshake.Hello(1, 1, Capabilities.OWNERSHIP, Bytes.EMPTY));
      welcome();
      assertThat(greeting.clientSession().orElseThrow().mayAdminister()).isTrue();
      greeting = greeting();
      hello(0, new Identity("shop", ""));
      assertThat(reject(Reason.CREDENTIAL).text()).contains("another principal");
      certificate = Optional.of("stranger");
      greeting = greeting();
      read(new Handshake.Hello(1, 1, Capabilities.OWNERSHIP, Bytes.EMPTY));
      assertThat(reject(Reason.CREDENTIAL).text()).contains("stranger");
    }
  }

  @Test
  void withoutAFileEveryHolderOfACertificateIsAClientAndNoAdministrator() {
    mode = Mode.CERTIFICATE;
    principals = Optional.empty();
    certificate = Optional.of("anybody");
    greeting = greeting();
    read(new Handshake.Hello(1, 1, Capabilities.OWNERSHIP, Bytes.EMPTY));
    welcome();
    ClientSession clientSession = greeting.clientSession().orElseThrow();
    assertThat(clientSession.mayRequest()).isTrue();
    assertThat(clientSession.mayAdminister()).isFalse();
  }

  @Test
  void aTenantMustBeOneOfThePrincipalsOwn() {
    mode = Mode.SECRET;
    greeting = greeting();
    prove(SECRET, challenged("shop", "bank"), "shop", "bank");
    assertThat(reject(Reason.CREDENTIAL).text()).contains("bank");
    greeting = greeting();
    prove(SECRET, challenged("shop", ""), "shop", "");
    assertThat(greeting.clientSession().orElseThrow().tenant().name()).isEqualTo("shop");
  }

  @Test
  void aTenantHasSoManyConnectionsAndNotOneMore() {
    for (int round = 0; round < 2; round++) {
      greeting = greeting();
      hello(0, new Identity("", "shop"));
      welcome();
      Tenant shop = greeting.clientSession().orElseThrow().tenant();
      greeting = greeting();
      hello(0, new Identity("", "shop"));
      assertThat(reject(Reason.FULL).text()).contains("shop");
      shop.disconnect();
    }
  }

  @Test
  void rolesDecideWhoMayRequestAndWhoMayHandOver() {
    mode = Mode.SECRET;
    greeting = greeting();
    prove(ROOT_SECRET, challenged("root", ""), "root", "");
    reject(Reason.CREDENTIAL);
    long commands = Capabilities.SECRET | Capabilities.COMMANDS;
    greeting = greeting();
    prove(ROOT_SECRET, challenged("root", "", commands), "root", "");
    ClientSession clientSession = greeting.clientSession().orElseThrow();
    assertThat(clientSession.mayRequest()).isFalse();
    assertThat(clientSession.mayAdminister()).isTrue();
    greeting = greeting();
    prove(SECRET, challenged("shop", "", Capabilities.SECRET | Capabilities.TRANSFER), "shop", "");
    assertThat(reject(Reason.CREDENTIAL).text()).contains("administrator");
  }

  @Test
  void aBackupTurnsClientsAwayAndWelcomesThoseWhoSendCommands() {
    primary = false;
    read(Handshake.Hello.current());
    reject(Reason.NOT_PRIMARY);
    for (long capability : new long[] {Capabilities.COMMANDS, Capabilities.TRANSFER}) {
      greeting = greeting();
      read(new Handshake.Hello(1, 1, capability, Bytes.EMPTY));
      assertThat(welcome().epoch()).isZero();
      assertThat(greeting.clientSession().orElseThrow().mayRequest()).isFalse();
    }
  }

  @Test
  void aPrimaryThatLosesItsLeaseDuringTheProofWelcomesNobody() {
    mode = Mode.SECRET;
    greeting = greeting();
    Bytes nonce = challenged("shop", "");
    primary = false;
    prove(SECRET, nonce, "shop", "");
    reject(Reason.NOT_PRIMARY);
  }

  @Test
  void oneTooManyIsToldSo() {
    full = true;
    greeting = greeting();
    read(Handshake.Hello.current());
    reject(Reason.FULL);
  }

  @Test
  void everyFrameButTheOneThatIsDueThrows() {
    mode = Mode.SECRET;
    for (FrameKind kind : FrameKind.values()) {
      greeting = greeting();
      if (kind != FrameKind.HELLO) {
        assertThatThrownBy(() -> greeting.read(noise(kind))).isInstanceOf(MalformedException.class);
      }
      greeting = greeting();
      challenged("shop", "");
      assertThatThrownBy(() -> greeting.read(noise(kind)))
          .as("kind=%s", kind)
          .isInstanceOf(MalformedException.class);
      assertThat(greeting.clientSession()).isEmpty();
    }
  }

  private FrameReader noise(FrameKind kind) {
    if (kind == FrameKind.REQUESTS) {
      writer.start(kind);
      new WireRequest.Begin(1).writeTo(writer);
    } else {
      writer.start(kind);
    }
    return FrameReader.open(writer.finish());
  }

  private Bytes challenged(String principal, String tenant) {
    return challenged(principal, tenant, Capabilities.SECRET);
  }

  private void hello(long capabilities, Identity identity) {
    read(new Handshake.Hello(1, 1, Capabilities.OWNERSHIP | capabilities, identity.credential()));
  }

  private Bytes challenged(String principal, String tenant, long capabilities) {
    sent.clear();
    hello(capabilities, new Identity(principal, tenant));
    assertThat(sent).hasSize(1);
    return ((Handshake.Challenge) sent.get(0)).nonce();
  }

  private void prove(String secret, Bytes serverNonce, String principal, String tenant) {
    Bytes mac =
        new SharedSecret(Bytes.utf8(secret))
            .clientMac(serverNonce, CLIENT_NONCE, new Identity(principal, tenant).credential());
    read(new Handshake.Proof(CLIENT_NONCE, mac));
  }

  private void read(Handshake frame) {
    frame.writeTo(writer);
    greeting.read(FrameReader.open(writer.finish()));
  }

  private Handshake.Welcome welcome() {
    assertThat(greeting.state()).isEqualTo(State.WELCOMED);
    return (Handshake.Welcome) sent.get(sent.size() - 1);
  }

  private Handshake.Reject reject(Reason reason) {
    assertThat(greeting.state()).isEqualTo(State.REJECTED);
    Handshake.Reject reject = (Handshake.Reject) sent.get(sent.size() - 1);
    assertThat(reject.reason()).isEqualTo(reason);
    assertThat(rejections.get(rejections.size() - 1)).isEqualTo(reason);
    assertThat(reject.text()).doesNotContain(SECRET);
    return reject;
  }

  private static long offered() {
    return Capabilities.OWNERSHIP
        | Capabilities.SECRET
        | Capabilities.COMMANDS
        | Capabilities.TRANSFER;
  }

  private HandshakeHandler greeting() {
    return new HandshakeHandler(new TestReception(), new TestArrival());
  }

  private final class TestReception implements HandshakeContext {

    private final Authenticator authenticator = new Authenticator(mode, () -> principals);

    @Override
    public Authenticator authenticator() {
      return authenticator;
    }

    @Override
    public ServerLimits limits() {
      return new ServerLimits(1 << 20, 100, 10, 100, 100, 1 << 20, 1 << 20, Duration.ofSeconds(1));
    }

    @Override
    public long capabilities() {
      return offered();
    }

    @Override
    public Optional<ManagerRecord> leading() {
      return primary
          ? Optional.of(
              new ManagerRecord(
                  EPOCH, "h", "", 1, 9, false, 512, 256, 0, Optional.empty(), Optional.empty()))
          : Optional.empty();
    }

    @Override
    public ConnectionSlots slots() {
      return new ConnectionSlots(
          tenants, new PrincipalConnections(AdmissionSettings.DEFAULT, () -> {}));
    }

    @Override
    public void rejected(Reason reason, String claimedPrincipal, AcceptedConnection arrival) {
      rejections.add(reason);
    }
  }

  private final class TestArrival implements AcceptedConnection {

    @Override
    public boolean full() {
      return full;
    }

    @Override
    public boolean lacksTls() {
      return lacksTls;
    }

    @Override
    public Optional<String> certificateName() {
      return certificate;
    }

    @Override
    public boolean local() {
      return local;
    }

    @Override
    public String origin() {
      return "test";
    }

    @Override
    public void send(Handshake frame) {
      sent.add(frame);
    }
  }
}
