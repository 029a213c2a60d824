package io.lampone.benchmarks.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** Lost versions; times are not checked, as they depend on the load of the machine. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BenchRetentionIT {

  @Test
  void nothingIsLostAndOneLineSaysWhatIsLeft() throws Exception {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exit =
        new CommandLine(new BenchCommand())
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute("retention", "--seconds=2", "--warm-up=1", "--rows=2000", "--json");
    assertThat(exit).as(err.toString()).isZero();
    assertThat(out.toString().strip().lines()).hasSize(1);
    JsonNode json = new ObjectMapper().readTree(out.toString());
    assertThat(json.get("lostVersions").asLong()).isZero();
    assertThat(json.get("commits").asLong()).isPositive();
    assertThat(json.get("abandoned").asLong()).isPositive();
    // One version of each rewritten row is left, and none of the dead clients.
    assertThat(json.get("versionsPerRowMax").asInt()).isEqualTo(1);
    assertThat(json.get("metadataCells").asLong()).isZero();
    assertThat(json.get("oldestIntentSeconds").asDouble()).isZero();
    assertThat(json.get("bytesAtRestRatio").asDouble()).isBetween(0.95, 1.05);
    for (String comparison :
        List.of(
            "readAtRest",
            "readAtRestControl",
            "readAtRestBlocking",
            "scanAtRest",
            "scanAtRestControl")) {
      double median = json.get(comparison + "Ratio").asDouble();
      assertThat(median).isPositive();
      assertThat(json.get(comparison + "Lower").asDouble()).isLessThanOrEqualTo(median);
      assertThat(json.get(comparison + "Upper").asDouble()).isGreaterThanOrEqualTo(median);
    }
  }
}
