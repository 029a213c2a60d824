package io.lampone.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Page in Debian's chromium; skipped without it, unless lampone.test.chromium=required. */
class ChromiumTest {

  private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
  private static final int LIMIT_SECONDS = 60;

  private static final String OVERVIEW =
      """
      {"sequence":1,"transactionsPerSecond":1234.5,"beginsPerSecond":1300,"fastPathPerSecond":5678,
       "abortsByCause":{"conflict.write-write":12.5,"refused.other":0.5},
       "oldestTransactionSeconds":75.2,
       "latencies":[
        {"phase":"begin","perSecond":1300,"medianMillis":0.393,"p99Millis":1.049},
        {"phase":"commit","perSecond":1240,"medianMillis":1.573,"p99Millis":1100.5}],
       "findings":[{"level":"fail","check":"coprocessor","subject":"rs2:16020",
         "found":"the jar is <u>missing</u>","advice":"copy it into HBase's lib folder"}],
       "checksPassed":17,"checkedSecondsAgo":12.25,
       "tables":[{"level":"ok","check":"table","subject":"accounts",
         "found":"transactional, conflicts by ROW, plain clients READ","advice":""}],
       "doctor":{"problem":"","found":1,"secondsAgo":3600,"findings":[{"level":"fail",
         "check":"ORPHAN","subject":"accounts row=a","found":"an intent","advice":"wait"}]},
       "regionServers":[
        {"server":"rs1:16020","reportAgeSeconds":0.4,"epoch":7,"openRegions":12,"unsettled":0,
         "clockLagSeconds":0.12,"safePointLagSeconds":61.6,"requestsPerSecond":4321,
         "refusalsPerSecond":2.5,"waitsPerSecond":0,"intentsMetPerSecond":3,"birthsPerSecond":4000,
         "refusalsByCode":{"BUSY":2.5}},
        {"server":"rs2:16020","reportAgeSeconds":0.4,"epoch":6,"openRegions":null,"unsettled":null,
         "clockLagSeconds":null,"safePointLagSeconds":null,"requestsPerSecond":null,
         "refusalsPerSecond":null,"waitsPerSecond":null,"intentsMetPerSecond":null,
         "birthsPerSecond":null,"refusalsByCode":{}}],
       "validators":null,"bucketsOfPrimary":null,
       "safePointLagSeconds":61.5,"primary":"tm1:17310","epoch":7,
       "hotRows":[{"table":"accounts","row":"<i>\\\\x00","kind":"write-write","conflicts":42,
         "lastWinner":"1","losers":[
          {"principal":"eve","client":"/10.0.0.7:4321","conflicts":40},
          {"principal":"<s>","client":"/10.0.0.8:4321","conflicts":2}]}],
       "longTransactions":17,
       "oldestTransactions":[{"ageSeconds":75.2,"principal":"<b>eve</b>",
         "client":"/10.0.0.7:4321","tables":"accounts,history","startTimestamp":"1"}],
       "course":[900,1000,1100,1050,980,null,1000,1234.5],
       "safePoint":{"retentionSeconds":3600,"holds":1,"oldestHold":{
         "owner":"<img src=x onerror=document.title='owned'>","name":"nightly",
         "lagSeconds":61.5,"remainingSeconds":540}},
       "managers":[
        {"address":"tm1:17310","role":"primary","problem":"","leaseSeconds":9.2,"draining":false,
         "clockComplaint":""},
        {"address":"tm2:17310","role":"backup","problem":"","leaseSeconds":null,"draining":true,
         "clockComplaint":"</td><script>document.title='owned'</script>"}]}
      """;

  @TempDir Path folder;

  @Test
  void page_showsTheFigures_andHostileNamesAsText() throws Exception {
    assumeTrue(
        Files.isExecutable(CHROMIUM)
            || "required".equals(System.getProperty("lampone.test.chromium")),
        "chromium is not installed: apt-get install chromium");
    try (Logins logins = new Logins((identity, secret) -> false, SystemClock.INSTANCE);
        ConsoleServer server =
            new ConsoleServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                () -> OVERVIEW,
                Optional.of("abc"),
                logins)) {
      String bare = "http://localhost:" + server.port() + "/";
      String url = bare + "#abc";
      assertThat(run("--dump-dom", bare))
          .contains("open the address", "<form id=\"login\">", ">no figures<")
          .doesNotContain("tm2:17310");
      String page = run("--dump-dom", url);
      assertThat(page)
          .contains("<form id=\"login\" hidden=\"\">")
          .contains(">1,235<", ">5,678<", ">13<", ">12.5<", "tm2:17310", "primary answers")
          .contains(">commit<", ">1.57 ms<", ">1.1 s<")
          .contains("coprocessor rs2:16020", "the jar is &lt;u&gt;missing", "copy it into HBase")
          .contains("17 checks passed 12.3 s ago. The doctor has found 1, 60 min ago.")
          .contains("conflicts by ROW", ">4,321<", ">BUSY 2.5<", "6, not the primary's")
          .contains("&lt;img src=x onerror", "&lt;script&gt;")
          .doesNotContain("<img", "<title>owned")
          .contains("Open for more than a second: 17.", ">75.2 s<", "accounts,history")
          .contains("&lt;b&gt;eve")
          .contains(
              ">42<", "&lt;i&gt;\\x00<", "eve /10.0.0.7:4321: 40; &lt;s&gt; /10.0.0.8:4321: 2")
          .contains("<polyline");
      Path shot = folder.resolve("console.png");
      run("--window-size=1000,1900", "--screenshot=" + shot, url);
      assertThat(shot).isNotEmptyFile();
      Files.createDirectories(Path.of("target"));
      Files.write(Path.of("target", "console.png"), Files.readAllBytes(shot));
      run("--window-size=390,2600", "--screenshot=" + shot, url);
      Files.write(Path.of("target", "console-phone.png"), Files.readAllBytes(shot));
    }
  }

  private String run(String... arguments) throws IOException, InterruptedException {
    Path out = folder.resolve("out");
    List<String> command =
        new ArrayList<>(
            List.of(
                CHROMIUM.toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--user-data-dir=" + folder.resolve("profile"),
                "--virtual-time-budget=2000"));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(Redirect.DISCARD)
            .start();
    try {
      assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).as("chromium ended").isTrue();
    } finally {
      process.destroyForcibly();
    }
    return Files.readString(out);
  }
}
