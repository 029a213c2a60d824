package io.lampone.benchmarks.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.cli.Lampone;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FiguresIT {

  @Test
  void aNewcomerSeesBothFiguresAndWhichCallToChoose() throws Exception {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exit =
        Lampone.commandLine()
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute("figures", "--json");
    assertThat(exit).as(() -> out + "\n" + err).isZero();
    JsonNode json = new ObjectMapper().readTree(out.toString());
    assertThat(json.get("oneClient").asInt() + json.get("token").asInt()).isZero();
    assertThat(json.get("strict").asInt()).isZero();
    assertThat(json.get("strangers").asInt()).isBetween(0, json.get("rounds").asInt());
    assertThat(json.get("conflictFound").asBoolean()).isTrue();
    assertThat(err.toString())
        .contains("Figure 2", "Figure 3", "observe()", "strict()", "ConflictException")
        .doesNotContain("LOST UPDATE");
  }
}
