package io.lampone.benchmarks.operations;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Fields of the measurement; times are not checked, as they depend on the load of the machine. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MetricsOverheadIT {

  @TempDir Path folder;

  @Test
  void eachOperationHasARatioAndAControl() throws Exception {
    try (EmbeddedLampone cluster =
        EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder.resolve("data")).build())) {
      JsonNode line = MetricsOverhead.measure(cluster.configuration(), 2, Duration.ofSeconds(1), 1);
      for (String name : new String[] {"fastGet", "readOne", "writeOne", "tenInTwoRegions"}) {
        assertThat(line.get(name)).hasSize(3);
        assertThat(line.get(name).get(1).asDouble()).isPositive();
        assertThat(line.get(name + "Control").get(1).asDouble()).isPositive();
      }
    }
  }
}
