package io.lampone.cli.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.cli.Lampone;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionId;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuickstartTest {

  private static final Bank.State EXPECTED = new Bank.State(100, 100_000);

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void theJsonLineHasTheNamesThatScriptsRelyOn() throws Exception {
    String line = well().result().toJson();
    assertThat(line).doesNotContain("\n");
    JsonNode json = new ObjectMapper().readTree(line);
    assertThat(json.fieldNames())
        .toIterable()
        .containsExactly(
            "transfers",
            "aborts",
            "audits",
            "sumConstant",
            "clientsKilled",
            "unresolvedIntents",
            "secondsToFirstTransaction");
    assertThat(json.get("transfers").asLong()).isEqualTo(1234);
    assertThat(json.get("sumConstant").asBoolean()).isTrue();
    assertThat(json.get("secondsToFirstTransaction").asDouble()).isEqualTo(6.79);
  }

  @Test
  void theSummaryIsForPeople() {
    assertThat(String.join("\n", well().lines()))
        .contains("1,234 committed; half of them within 3.0 ms, 99 of 100 within 12.0 ms")
        .contains("(in a Java process that has just started, retries included)")
        .contains("56 scans of all accounts while money moved; every one found 100,000")
        .contains("moving 100 from account-00000 to account-00099, after its writes (2 intents")
        .contains("200 reads of these two accounts took at most 7.5 ms")
        .contains("100,000 in 100 accounts, all of them readable")
        .endsWith("All is well.");
    assertThat(well().problems()).isEmpty();
  }

  @Test
  void whatIsWrongIsSaid() {
    QuickstartSummary summary =
        new QuickstartSummary(
            report(0, List.of("snapshot=1"), List.of("boom")),
            killed(0, true),
            new Bank.State(100, 99_999),
            EXPECTED,
            3,
            false,
            6.789);
    assertThat(summary.problems()).hasSize(7);
    assertThat(summary.result().sumConstant()).isFalse();
    assertThat(summary.result().unresolvedIntents()).isEqualTo(3);
    assertThat(String.join("\n", summary.lines()))
        .contains("NOT every one found", "3 NOT readable", "NOT WELL:", "  Failed: boom")
        .doesNotContain("All is well");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--seconds=0",
        "--threads=0",
        "--threads=257",
        "--accounts=1",
        "--accounts=x",
        "--isolation=chaos",
        "--isolation=SERIALIZABLE --sql",
        "--zookeeper-port=70000",
        "--published-port=65532",
        "--published-port=2181 --zookeeper-port=2181",
        "--empty=true --sql",
        "--nonsense",
        "surplus"
      })
  void badOptionsEndWithCode2(String option) {
    assertThat(execute(("quickstart " + option).split(" "))).isEqualTo(2);
    assertThat(err.toString()).contains(option.replaceAll("=.*", "")).contains("Usage:");
  }

  @Test
  void aDataFolderThatIsAFileIsExplained() throws Exception {
    Path file = Files.createFile(folder.resolve("file"));
    assertThat(execute("quickstart", "--data", file.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("ERROR: ", file.toString(), "--data DIR");
  }

  @Test
  void aShellWithoutAClusterSaysSo() {
    assertThat(execute("shell", "-z", "127.0.0.1:1", "-e", "list")).isEqualTo(1);
    assertThat(err.toString())
        .contains("ERROR: no ZooKeeper answers at 127.0.0.1, port 1")
        .contains("quickstart --keep");
    assertThat(execute("shell", "-z", "a b", "-e", "list")).isEqualTo(1);
    assertThat(err.toString()).contains("not an address of ZooKeeper: 'a b'");
    assertThat(execute("shell", "-c", "/none", "-e", "list")).isEqualTo(1);
    assertThat(err.toString()).contains("cannot read the file /none");
    assertThat(execute("shell", "-e", "list", "file")).isEqualTo(2);
    assertThat(execute("shell", folder.resolve("none").toString())).isEqualTo(1);
    assertThat(err.toString()).contains("no such file: ");
    assertThat(execute("table")).isEqualTo(2);
    assertThat(execute("table", "list", "-z", "127.0.0.1:1")).isEqualTo(1);
  }

  private static QuickstartSummary well() {
    return new QuickstartSummary(
        report(1234, List.of(), List.of()), killed(2, false), EXPECTED, EXPECTED, 0, false, 6.789);
  }

  private static BankReport report(
      long transfers, List<String> wrongAudits, List<String> failures) {
    return new BankReport(
        transfers,
        78,
        0,
        0,
        0,
        9,
        56,
        wrongAudits,
        failures,
        new LatencySamples.Summary(transfers, 3_000, 12_000, 20_000),
        new LatencySamples.Summary(56, 9_000, 30_000, 40_000));
  }

  private static KilledClient killed(int intents, boolean blocked) {
    long start = Timestamps.floorOf(Instant.parse("2026-01-01T00:00:00Z"));
    RowFamily leader = new RowFamily("bank", Bytes.utf8("r"), Bytes.utf8("a"));
    return new KilledClient(
        new TransactionId(start, leader), 0, 99, 100, intents, 200, 7_500_000, 9_000_000, blocked);
  }

  private int execute(String... args) {
    return Lampone.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }
}
