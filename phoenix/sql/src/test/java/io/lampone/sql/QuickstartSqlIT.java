package io.lampone.sql;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.cli.Lampone;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QuickstartSqlIT {

  private static final int ACCOUNTS = 20;

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private final PrintStream standardError = System.err;
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();

  @AfterEach
  void restoreStandardError() {
    System.setErr(standardError);
  }

  @Test
  void tableAndIndexAgreeWhileMoneyMovesAndAClientDies() throws Exception {
    System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
    int code =
        Lampone.commandLine()
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(
                "quickstart",
                "--sql",
                "--json",
                "--seconds=4",
                "--threads=3",
                "--accounts=" + ACCOUNTS,
                "--data=" + folder.resolve("data"));
    assertThat(code).as(err.toString()).isZero();
    JsonNode json = new ObjectMapper().readTree(out.toString());
    assertThat(json.fieldNames())
        .toIterable()
        .containsExactly(
            "transfers",
            "aborts",
            "sumByTable",
            "sumByIndex",
            "consistent",
            "clientsKilled",
            "fastPathStatements",
            "secondsToFirstTransaction");
    assertThat(json.get("transfers").asLong()).isPositive();
    assertThat(json.get("sumByTable").asLong()).isEqualTo(ACCOUNTS * 1_000);
    assertThat(json.get("sumByIndex").asLong()).isEqualTo(ACCOUNTS * 1_000);
    assertThat(json.get("consistent").asBoolean()).isTrue();
    assertThat(json.get("clientsKilled").asInt()).isEqualTo(1);
    assertThat(json.get("fastPathStatements").asLong()).isPositive();
    assertThat(json.get("secondsToFirstTransaction").asDouble()).isPositive();
    assertThat(err.toString()).contains("killed it (SIGKILL)", "All is well.");
    assertThat(written.toString(StandardCharsets.UTF_8)).doesNotContain("UNDECIDED");
  }
}
