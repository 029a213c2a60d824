package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.SharedSecret;
import io.lampone.protocol.wire.WireReply;
import io.lampone.tm.core.MemoryRecordStore;
import io.lampone.tm.security.Authenticator.Mode;
import io.lampone.tm.security.SecuritySettings;
import io.lampone.tmclient.CommandAnswer;
import io.lampone.tmclient.CommandClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Commands of principals with each role, at a transaction manager that demands a secret. */
@Timeout(180)
final class CommandRolesTest {

  private static final String SECRET = "a-secret-of-many-letters";
  private static final String ADMINISTRATOR = "root";

  /** Principals that are no administrators, each with one role; and the commands that they have. */
  private static final Set<String> CLIENTS = Set.of("shop", "server", "keeper");

  /** Whether others than administrators may send a command. */
  private static final Map<String, Boolean> COMMANDS =
      Map.ofEntries(
          Map.entry("status", true),
          Map.entry("hold", true),
          Map.entry("renew", true),
          Map.entry("release", true),
          Map.entry("holds", true),
          Map.entry("transactions", true),
          Map.entry("buckets", true),
          Map.entry("validators", true),
          Map.entry("validator-add", false),
          Map.entry("validator-remove", false),
          Map.entry("validator-move", false),
          Map.entry("obtain-token", true),
          Map.entry("renew-token", true),
          Map.entry("cancel-token", true),
          Map.entry("inspect", false),
          Map.entry("inspection-pass", false),
          Map.entry("accept-record", false),
          Map.entry("handover", false),
          Map.entry("drain", false));

  @TempDir private Path folder;

  private TransactionManagerServer server;

  @BeforeEach
  void start() throws Exception {
    Path principals =
        Files.createFile(
            folder.resolve("principals"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.write(
        principals,
        List.of(
            "shop client * " + SECRET,
            "server region * " + SECRET,
            "keeper backup * " + SECRET,
            ADMINISTRATOR + " administrator * " + SECRET));
    server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .conflictTableCapacity(1 << 10)
                .decisionMemoryCapacity(1 << 10)
                .security(
                    new SecuritySettings(
                        Mode.SECRET,
                        Optional.of(principals),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty()))
                .build(),
            new MetricRegistry(),
            new MemoryRecordStore(),
            SystemClock.INSTANCE);
    server.whenPrimary().get(60, SECONDS);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void eachCommandIsForTheRolesThatThePageNames() throws Exception {
    String known = ask(ADMINISTRATOR, "fly", "").text().replaceFirst(".*known=\\[(.*)].*", "$1");
    assertThat(known.split(", ")).containsExactlyInAnyOrderElementsOf(COMMANDS.keySet());
    for (String command : new TreeSet<>(COMMANDS.keySet())) {
      for (String client : CLIENTS) {
        CommandAnswer answer = ask(client, command, "");
        assertThat(!answer.text().contains("not permitted"))
            .as("%s %s: %s", client, command, answer.text())
            .isEqualTo(COMMANDS.get(command));
      }
      assertThat(ask(ADMINISTRATOR, command, "").text())
          .as(command)
          .doesNotContain("not permitted");
    }
    assertThat(server.isPrimary()).isTrue();
  }

  @Test
  void aStatusShowsClientsOnlyWhoLeads() throws Exception {
    assertThat(ask("shop", "status", "").text())
        .contains("\"role\":\"primary\"")
        .doesNotContain("traffic", "tenants", "connections");
    assertThat(ask(ADMINISTRATOR, "status", "").text())
        .contains("traffic", "tenants", "connections");
  }

  @Test
  void aHoldIsItsPrincipals_whateverOwnerAnotherOneNames() throws Exception {
    long timestamp = begin();
    String hold = "owner=nightly name=report";
    CommandAnswer held = ask("shop", "hold", hold + " timestamp=" + timestamp + " ttl=60000");
    assertThat(held.succeeded()).as(held.text()).isTrue();
    for (String owner : List.of("nightly", "shop/nightly")) {
      String named = "owner=" + owner + " name=report";
      assertThat(ask("keeper", "release", named).text()).doesNotContain("\"released\":true");
      assertThat(ask("keeper", "renew", named + " ttl=1").succeeded()).isFalse();
    }
    assertThat(ask("keeper", "holds", "").text()).contains("\"holds\":[]");
    assertThat(ask("shop", "holds", "").text()).contains("\"owner\":\"nightly\"");
    assertThat(ask(ADMINISTRATOR, "holds", "").text()).contains("\"owner\":\"shop/nightly\"");
    assertThat(ask(ADMINISTRATOR, "release", "owner=shop/nightly name=report").text())
        .contains("\"released\":true");
    assertThat(ask("shop", "holds", "").text()).contains("\"holds\":[]");
  }

  @Test
  void whatIsRefusedAndWhatAdministratorsDoIsAudited() throws Exception {
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    Logger audit = (Logger) LoggerFactory.getLogger("lampone.audit");
    audit.setLevel(Level.INFO);
    audit.addAppender(lines);
    try {
      ask("shop", "drain", "x\ny");
      ask("shop", "holds", "");
      ask(ADMINISTRATOR, "inspect", "timestamp=1");
    } finally {
      audit.detachAppender(lines);
    }
    List<String> texts = lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    assertThat(texts).hasSize(2).noneMatch(line -> line.contains("\n"));
    assertThat(texts.get(0))
        .contains("\"principal\":\"shop\"", "\"from\":\"/127.0.0.1:", "\"what\":\"drain\"")
        .contains("\"on\":\"x\\ny\"", "\"outcome\":\"not permitted");
    assertThat(texts.get(1))
        .contains("\"principal\":\"root\"", "\"what\":\"inspect\"", "\"on\":\"timestamp=1\"");
  }

  private long begin() throws IOException {
    Identity identity = new Identity("shop", "");
    try (FrameSocket socket = new FrameSocket(server.port())) {
      socket.prove(identity, SECRET, socket.challenge(identity, Capabilities.SECRET));
      Handshake.Counterproof.readFrom(socket.receive());
      Handshake.Welcome.readFrom(socket.receive());
      return ((WireReply.Begun) socket.begin(1)).begin().startTimestamp();
    }
  }

  private CommandAnswer ask(String name, String command, String argument) throws Exception {
    ClientSecurity security =
        ClientSecurity.NONE
            .withIdentity(new Identity(name, ""))
            .withSecret(new SharedSecret(Bytes.utf8(SECRET)));
    try (CommandClient commands =
        new CommandClient(TransactionManagerClientConfig.builder().security(security).build())) {
      return commands
          .ask(new InetSocketAddress("127.0.0.1", server.port()), command, argument)
          .get(60, SECONDS);
    }
  }
}
