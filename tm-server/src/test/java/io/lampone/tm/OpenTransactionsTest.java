package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.connect.BlockingConnection;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.tm.ClientWork;
import io.lampone.protocol.tm.HotRow;
import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.tm.ServerReport;
import io.lampone.protocol.tm.StartBlock;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.security.SecuritySettings;
import io.lampone.tmclient.CommandAnswer;
import io.lampone.tmclient.CommandClient;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import io.lampone.tmclient.discovery.ZooKeeperAddressSource;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The list of open transactions, as clients report them. */
@Timeout(180)
final class OpenTransactionsTest extends TokenServers {

  @Test
  void administratorsSeeAllAndClientsTheirOwn() throws Exception {
    TransactionManagerServer server = start();
    server.whenPrimary().get(60, SECONDS);
    ClientSecurity yarn = secret("yarn", YARN);
    try (TransactionManagerClient first = client(secret("alice", ALICE));
        TransactionManagerClient second = client(yarn)) {
      StartBlock block = report(first, 3, open(512, 7_000, "accounts"), open(768, 5_000, "a,b"));
      assertThat(block.count()).isEqualTo(3);
      report(second, 0, open(1024, 90_000, ""));

      String all = transactions(server, secret("root", ALICE));
      assertThat(all).contains("\"reported\":3", "\"tables\":\"a,b\"", "\"principal\":\"yarn\"");
      assertThat(all.indexOf("\"startTimestamp\":1024"))
          .isLessThan(all.indexOf("\"tables\":\"accounts\""));
      assertThat(all.indexOf("accounts")).isLessThan(all.indexOf("a,b"));
      assertThat(transactions(server, yarn))
          .contains("\"reported\":1", "\"startTimestamp\":1024")
          .doesNotContain("accounts");

      // A report without a list changes nothing; an empty list ends what was listed.
      first.progress(new ProgressReport(1, new long[0], Optional.empty())).get(20, SECONDS);
      assertThat(transactions(server, secret("root", ALICE))).contains("\"reported\":3");
      report(first, 0);
      assertThat(transactions(server, secret("root", ALICE))).contains("\"reported\":1");
    }
    long end = System.nanoTime() + SECONDS.toNanos(20);
    while (!transactions(server, secret("root", ALICE)).contains("\"reported\":0")) {
      assertThat(System.nanoTime()).as("the clients have gone").isLessThan(end);
    }
  }

  @Test
  void workOfClientsIsAdded_andShownToAdministratorsOnly() throws Exception {
    TransactionManagerServer server = start();
    server.whenPrimary().get(60, SECONDS);
    int commits = ClientWork.event("committed.one-region");
    try (TransactionManagerClient one = client(secret("alice", ALICE));
        TransactionManagerClient other = client(secret("alice", ALICE))) {
      Map<Integer, Integer> counts =
          Map.of(commits, 3, ClientWork.bucket("commit", 20), 2, ClientWork.SIZE + 5, 9);
      one.progress(worked(counts)).get(20, SECONDS);
      other.progress(worked(Map.of(commits, 4))).get(20, SECONDS);
      assertThat(ask(server, "status", secret("root", ALICE)))
          .contains(
              "\"committed.one-region\":7",
              "\"commit\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,2,");
      assertThat(ask(server, "status", secret("yarn", YARN))).doesNotContain("clientWork");
    }
  }

  /** A client without the role region is no region server. */
  @Test
  void statesOfRegionServersAreThoseOfRegionServers() throws Exception {
    TransactionManagerServer server = start();
    server.whenPrimary().get(60, SECONDS);
    ServerReport state = new ServerReport("rs1:16020", new TreeMap<>(Map.of("waits", 12L)));
    try (TransactionManagerClient region = client(secret("alice", ALICE));
        TransactionManagerClient yarn = client(secret("yarn", YARN))) {
      yarn.progress(ProgressReport.of(new ServerReport("false:1", new TreeMap<>())))
          .get(20, SECONDS);
      assertThat(ask(server, "status", secret("root", ALICE))).contains("\"regionServers\":[]");
      region.progress(ProgressReport.of(state)).get(20, SECONDS);
      assertThat(ask(server, "status", secret("root", ALICE)))
          .contains("{\"server\":\"rs1:16020\",\"reportAgeMillis\":", "\"values\":{\"waits\":12}")
          .doesNotContain("false:1");
      assertThat(ask(server, "status", secret("yarn", YARN))).doesNotContain("regionServers");
    }
  }

  private static ProgressReport worked(Map<Integer, Integer> counts) {
    return new ProgressReport(
        0,
        new long[0],
        Optional.empty(),
        Optional.empty(),
        new TreeMap<>(counts),
        Optional.empty());
  }

  /** Rows are data: nobody but administrators sees them. */
  @Test
  void hotRowsAreShownToAdministratorsOnly() throws Exception {
    TransactionManagerServer server = start();
    server.whenPrimary().get(60, SECONDS);
    try (TransactionManagerClient client = client(secret("alice", ALICE))) {
      HotRow row = new HotRow("write-write", "accounts", "<b>\"r\\x00", 3, 512);
      client
          .progress(
              new ProgressReport(
                  0,
                  new long[0],
                  Optional.empty(),
                  Optional.of(List.of(row)),
                  new TreeMap<>(),
                  Optional.empty()))
          .get(20, SECONDS);
      assertThat(ask(server, "status", secret("root", ALICE)))
          .contains("\"row\":\"<b>\\\"r\\\\x00\"", "\"conflicts\":3", "\"principal\":\"alice\"");
      assertThat(ask(server, "status", secret("yarn", YARN)))
          .doesNotContain("hotRows")
          .doesNotContain("accounts");
      client.progress(new ProgressReport(0, new long[0], Optional.empty())).get(20, SECONDS);
      assertThat(ask(server, "status", secret("root", ALICE))).contains("accounts");
    }
    long end = System.nanoTime() + SECONDS.toNanos(20);
    while (!ask(server, "status", secret("root", ALICE)).contains("\"hotRows\":[]")) {
      assertThat(System.nanoTime()).as("the client has gone").isLessThan(end);
    }
  }

  @Test
  void withoutAuthenticationEverybodyIsAnAdministrator() throws Exception {
    TransactionManagerServer server = start(SecuritySettings.OFF);
    server.whenPrimary().get(60, SECONDS);
    try (TransactionManagerClient client = client(ClientSecurity.NONE)) {
      StartBlock block = report(client, 1, open(512, 7_000, "accounts"));
      assertThat(Proofs.OPEN.verify(block.grant())).isEqualTo(Proofs.Verdict.VALID);
      assertThat(transactions(server, ClientSecurity.NONE)).contains("accounts");
    }
  }

  /** The list is made on the event loop: what clients write into it must not occupy that. */
  @Test
  void theListIsLimitedHoweverMuchClientsReport() throws Exception {
    TransactionManagerServer server = start(SecuritySettings.OFF);
    server.whenPrimary().get(60, SECONDS);
    List<ProgressReport.Open> full =
        new ArrayList<>(Collections.nCopies(63, open(512, 7_000, "x".repeat(63))));
    full.add(open(768, 300_000, "oldest"));
    ProgressReport report = new ProgressReport(0, new long[0], Optional.of(full));
    for (int i = 0; i < 160; i++) {
      BlockingConnection connection =
          opened(open(server, ClientSecurity.NONE, Capabilities.PROGRESS));
      connection.allow(LIMIT);
      connection.writer().start(FrameKind.REQUESTS);
      new WireRequest.Report(1, report).writeTo(connection.writer());
      connection.send();
      connection.receive();
    }
    String listed = transactions(server, ClientSecurity.NONE);
    assertThat(listed).contains("\"reported\":10240");
    assertThat(listed.split("startTimestamp")).hasSize(1001);
    assertThat(listed.split("\"oldest\"")).hasSize(161);
    assertThat(listed.lastIndexOf("\"oldest\"")).isLessThan(listed.indexOf("xxx"));
  }

  private static ProgressReport.Open open(long snapshot, int ageMillis, String tables) {
    return new ProgressReport.Open(snapshot, ageMillis, tables);
  }

  private static StartBlock report(
      TransactionManagerClient client, int starts, ProgressReport.Open... open) throws Exception {
    return client
        .progress(new ProgressReport(starts, new long[0], Optional.of(List.of(open))))
        .get(20, SECONDS);
  }

  private TransactionManagerClient client(ClientSecurity security) {
    return TransactionManagerClient.create(
        TransactionManagerClientConfig.builder().security(security).build(), source());
  }

  private ZooKeeperAddressSource source() {
    return opened(ZooKeeperAddressSource.connect(zookeeper.getConnectString(), "/lampone"));
  }

  private static String transactions(TransactionManagerServer server, ClientSecurity security)
      throws Exception {
    return ask(server, "transactions", security);
  }

  private static String ask(
      TransactionManagerServer server, String command, ClientSecurity security) throws Exception {
    try (CommandClient commands =
        new CommandClient(TransactionManagerClientConfig.builder().security(security).build())) {
      CommandAnswer answer =
          commands
              .ask(InetSocketAddress.createUnresolved(HOST, server.port()), command, "")
              .get(60, SECONDS);
      assertThat(answer.succeeded()).as(answer.text()).isTrue();
      return answer.text();
    }
  }
}
