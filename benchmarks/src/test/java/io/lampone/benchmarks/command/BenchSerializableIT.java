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

/** Commits; times are not checked, as they depend on the load of the machine. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BenchSerializableIT {

  @Test
  void snapshotIsolationHasWriteSkewAndSerializableTransactionsDoNot() throws Exception {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exit =
        new CommandLine(new BenchCommand())
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute("serializable", "--rounds=2", "--warm-up=1", "--json");
    assertThat(exit).as(err.toString()).isZero();
    assertThat(out.toString().strip().lines()).hasSize(1);
    JsonNode json = new ObjectMapper().readTree(out.toString());
    assertThat(json.get("writeSkewCommitted").asLong()).isZero();
    assertThat(json.get("snapshotWriteSkewCommitted").asLong())
        .isEqualTo(json.get("pairs").asLong())
        .isPositive();
    assertThat(json.get("spuriousAborts").asLong()).isZero();
    for (String ratio :
        List.of(
            "ratioTwoRegions", "ratioOneRegion", "readOnlyRatio", "sessionRatio", "controlRatio")) {
      assertThat(json.get(ratio).asDouble()).isPositive();
    }
  }
}
