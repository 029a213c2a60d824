package io.lampone.cli.manager;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.cli.Lampone;
import io.lampone.cli.manager.ManagersReport.Asked;
import io.lampone.protocol.connect.SecurityFiles;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.tmclient.CommandAnswer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class TmCommandTest {

  private static final ManagerRecord RECORD =
      ManagerRecord.decode(
          ("format=1\nepoch=7\nholder=tm-a:1/x\naddress=tm-a:1\nleaseSequence=1\n"
                  + "leaseDurationMillis=2000\nreleased=false\nbound=512\nfloor=256\nsafePoint=0\n")
              .getBytes(StandardCharsets.UTF_8));

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @ParameterizedTest
  @ValueSource(strings = {"tm", "tm run -D lampone.client.x=1", "tm inspect x", "tm accept-record"})
  void wrongOptionsAreNamedAndTheUsageIsShown(String line) {
    assertThat(execute(line.split(" "))).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString()).contains("Usage: lampone");
    assertThat(out.toString()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"tm", "tm run", "tm status"})
  void helpTellsTheExitCodes(String line) {
    assertThat(execute((line + " --help").split(" "))).isZero();
    assertThat(out.toString()).contains("Usage: lampone " + line);
    if (!line.equals("tm")) {
      assertThat(out.toString()).contains("Exit codes: 0 ");
    }
  }

  @Test
  void helpTellsWhatATransactionManagerThatIsStoppedEndsWith() {
    assertThat(execute("tm", "run", "--help")).isZero();
    assertThat(out.toString()).contains("143 SIGTERM");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"hold list", "hold take n", "tm status", "tm handover", "tm drain", "tm inspect"})
  void withoutZooKeeperTheAdviceSaysWhereToLook(String line) {
    assertThat(execute((line + " --zookeeper 127.0.0.1:1").split(" "))).isEqualTo(1);
    assertThat(err.toString()).contains("ERROR: ZooKeeper does not answer", "--zookeeper");
  }

  @Test
  void aSettingThatDoesNotDoIsNamed() {
    assertThat(execute("tm", "status", "-D", "lampone.client.manager.secret.file=/does/not/exist"))
        .isEqualTo(1);
    assertThat(err.toString()).contains("lampone.client.manager.secret.file", "docs/client.md");
  }

  @Test
  void keys_areMadeOnce_andRotatedOnceATerm(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("cluster.key");
    assertThat(execute("tm", "keys", "--rotate", file.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("no readable file");
    assertThat(execute("tm", "keys", file.toString())).isZero();
    String made = Files.readString(file);
    assertThat(execute("tm", "keys", file.toString())).isEqualTo(1);

    assertThat(execute("tm", "keys", "--rotate", file.toString())).isZero();

    assertThat(Files.readString(file)).startsWith(made);
    assertThat(Files.readAllLines(file)).hasSize(2);
    assertThat(SecurityFiles.clusterKey(file).keys(0)).isPresent();
    assertThat(execute("tm", "keys", "--rotate", file.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("later term").doesNotContain(made.strip());
    assertThat(Files.readAllLines(file)).hasSize(2);
  }

  @Test
  void aCommandThatIsNotPermittedNeedsAnAdministrator() {
    assertThat(
            ManagerOperations.advice(
                new CommandAnswer(false, "not permitted: the command needs another role", 0)))
        .contains("need an administrator", ".secret.file", ".kerberos=true", "on its machine");
    assertThat(ManagerOperations.advice(new CommandAnswer(false, "no backup is ready", 7)))
        .contains("'lampone tm status'");
  }

  @Test
  void helpTellsWhoNeedsACopyOfTheKey() {
    assertThat(execute("tm", "keys", "--help")).isZero();
    assertThat(out.toString().replaceAll("\\s+", " "))
        .contains(
            "Each transaction manager and region server needs a copy",
            "lampone.region.cluster.key.file");
  }

  @Test
  void statusIsATableForPeople() throws Exception {
    ManagersReport status = status();
    assertThat(status.hasPrimary()).isTrue();
    assertThat(String.join("\n", status.lines()))
        .contains("Record: epoch 7 of tm-a:1/x, floor 256")
        .containsPattern(
            "tm-a:1 +primary +7 +1500 +8123 +4000 +12.5 +0.0 +25.0 % +0.5 % +12.0 s +2 +3 +handing"
                + " over, safe point 10 min old, oldest hold o n 10 min old")
        .contains("BEGIN/S")
        .containsPattern("tm-b:1 +backup +- .* 0 +draining")
        .containsPattern("tm-c:1 +no answer .* cannot connect");
  }

  @Test
  void statusShowsQuotasWhereThereAreSome() throws Exception {
    assertThat(String.join("\n", status().lines())).doesNotContain("TENANT");
    JsonNode primary =
        new ObjectMapper()
            .readTree(
                "{\"role\":\"primary\",\"primary\":{\"leaseRemainingMillis\":1},\"tenants\":[{\"name\":\"shop\",\"requests\":70,"
                    + "\"requestsPerSecondQuota\":100,\"connections\":2,\"connectionsQuota\":5,"
                    + "\"outstanding\":1,\"refusedFrames\":4},{\"name\":\"others\",\"requests\":9,"
                    + "\"connections\":1,\"outstanding\":0,\"refusedFrames\":0}]}");
    ManagersReport status =
        new ManagersReport(
            Optional.of(RECORD), List.of(new Asked("tm-a:1", Optional.of(primary), "")));
    assertThat(String.join("\n", status.lines()))
        .containsPattern("TENANT +REQUESTS +QUOTA/S +CONNECTIONS +WAITING +REFUSED")
        .containsPattern("shop +70 +100 +2 of 5 +1 +4\n")
        .containsPattern("others +9 +- +1 +0 +0$");
  }

  @Test
  void statusIsOneLineForScripts() throws Exception {
    JsonNode json = new ObjectMapper().readTree(status().toJson());
    assertThat(json.get("primary").asBoolean()).isTrue();
    assertThat(json.get("record").get("epoch").asLong()).isEqualTo(7);
    assertThat(json.get("managers")).hasSize(3);
    assertThat(json.get("managers").get(0).get("status").get("role").asText()).isEqualTo("primary");
    assertThat(json.get("managers").get(2).get("problem").asText()).contains("cannot connect");
  }

  @Test
  void aPrimaryWithoutALeaseAnswersNobody() throws Exception {
    JsonNode primary =
        new ObjectMapper()
            .readTree("{\"role\":\"primary\",\"primary\":{\"leaseRemainingMillis\":0}}");
    ManagersReport status =
        new ManagersReport(
            Optional.of(RECORD), List.of(new Asked("tm-a:1", Optional.of(primary), "")));
    assertThat(status.hasPrimary()).isFalse();
    assertThat(status.toJson()).startsWith("{\"primary\":false");
    assertThat(String.join("\n", status.lines())).contains("The primary has no lease");
  }

  @Test
  void whereNobodyIsRegisteredStatusSaysHowToStartOne() {
    ManagersReport nobody = new ManagersReport(Optional.empty(), List.of());
    assertThat(nobody.hasPrimary()).isFalse();
    assertThat(String.join("\n", nobody.lines()))
        .contains("no transaction manager has ever run here", "'lampone tm run'");
  }

  private static ManagersReport status() throws Exception {
    ObjectMapper mapper = new ObjectMapper();
    JsonNode primary =
        mapper.readTree(
            "{\"role\":\"primary\",\"draining\":false,\"connections\":3,\"record\":{\"epoch\":7},"
                + "\"traffic\":{\"beginsPerSecond\":8123.4,\"validationsPerSecond\":4000.0,"
                + "\"conflictsPerSecond\":12.5,\"refusalsPerSecond\":0.0},"
                + "\"primary\":{\"leaseRemainingMillis\":1500,\"conflictEntries\":25,"
                + "\"conflictCapacity\":100,\"decisionEntries\":1,\"decisionCapacity\":200,"
                + "\"watermarkLagMillis\":12000,\"holds\":2,\"handingOver\":true,\"safePointLagMillis\":610000,"
                + "\"oldestHold\":{\"owner\":\"o\",\"name\":\"n\",\"lagMillis\":609000}}}");
    JsonNode backup = mapper.readTree("{\"role\":\"backup\",\"draining\":true,\"connections\":0}");
    return new ManagersReport(
        Optional.of(RECORD),
        List.of(
            new Asked("tm-a:1", Optional.of(primary), ""),
            new Asked("tm-b:1", Optional.of(backup), ""),
            new Asked("tm-c:1", Optional.empty(), "cannot connect")));
  }

  private int execute(String... args) {
    return Lampone.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }
}
