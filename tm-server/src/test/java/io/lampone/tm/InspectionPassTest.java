package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.connect.SecurityFiles;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.trust.DelegationToken;
import io.lampone.protocol.trust.InspectionPass;
import io.lampone.protocol.trust.Proofs;
import io.lampone.tm.security.SecuritySettings;
import io.lampone.tmclient.CommandAnswer;
import io.lampone.tmclient.CommandClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Inspection passes are for administrators, and made with the cluster key. */
@Timeout(180)
final class InspectionPassTest extends TokenServers {

  @Test
  void anAdministratorObtainsAPassForAnHour() throws Exception {
    TransactionManagerServer server = start();
    server.whenPrimary().get(60, SECONDS);
    CommandAnswer answer = ask(server, secret("root", ALICE), "");
    assertThat(answer.succeeded()).as(answer.text()).isTrue();
    Matcher told =
        Pattern.compile("\"pass\":\"([^\"]+)\",\"expiresMillis\":(\\d+)").matcher(answer.text());
    assertThat(told.find()).as(answer.text()).isTrue();
    InspectionPass pass = InspectionPass.decode(DelegationToken.bytes(told.group(1)).toArray());
    assertThat(pass.holder()).isEqualTo("root");
    assertThat(pass.expiresMillis()).isEqualTo(Long.parseLong(told.group(2)));
    assertThat(pass.isInTime(SystemClock.INSTANCE.wallMillis())).isTrue();
    assertThat(new Proofs(SecurityFiles.clusterKey(clusterKey)).verify(pass))
        .isEqualTo(Proofs.Verdict.VALID);
    assertThat(Proofs.OPEN.verify(pass)).isEqualTo(Proofs.Verdict.FORGED);
    assertThat(ask(server, secret("root", ALICE), "ttl=1").text()).contains("ttl");
  }

  @Test
  void otherClientsAndTasksWithAnAdministratorsTokenObtainNone() throws Exception {
    TransactionManagerServer server = start();
    server.whenPrimary().get(60, SECONDS);
    for (ClientSecurity client :
        new ClientSecurity[] {secret("yarn", YARN), shown(alice().obtain("").get(60, SECONDS))}) {
      CommandAnswer answer = ask(server, client, "");
      assertThat(answer.succeeded()).isFalse();
      assertThat(answer.text()).contains("not permitted", "ADMINISTRATOR");
    }
  }

  @Test
  void withoutAClusterKeyNoPassIsNeeded() throws Exception {
    TransactionManagerServer server = start(SecuritySettings.OFF);
    server.whenPrimary().get(60, SECONDS);
    assertThat(ask(server, ClientSecurity.NONE, "").text()).contains("\"pass\":\"\"");
  }

  private static CommandAnswer ask(
      TransactionManagerServer server, ClientSecurity security, String argument) throws Exception {
    try (CommandClient commands =
        new CommandClient(TransactionManagerClientConfig.builder().security(security).build())) {
      return commands
          .ask(InetSocketAddress.createUnresolved(HOST, server.port()), "inspection-pass", argument)
          .get(60, SECONDS);
    }
  }
}
