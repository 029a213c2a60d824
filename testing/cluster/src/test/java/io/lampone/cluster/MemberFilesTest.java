package io.lampone.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemberFilesTest {

  @TempDir private Path folder;

  @Test
  void noTwoTransactionManagersListenAtTheSamePort() throws Exception {
    Set<String> ports = new HashSet<>();
    for (Properties each : managers(Map.of())) {
      assertThat(each).containsEntry("lampone.tm.http.host", "127.0.0.1");
      assertThat(ports.add(each.getProperty("lampone.tm.bind.port"))).isTrue();
      assertThat(ports.add(each.getProperty("lampone.tm.http.port"))).isTrue();
    }
    assertThat(ports).hasSize(4).doesNotContainNull();
  }

  @Test
  void whatIsSetByHandWins() throws Exception {
    assertThat(managers(Map.of("lampone.tm.http.port", "-1")))
        .allMatch(each -> each.getProperty("lampone.tm.http.port").equals("-1"));
  }

  @Test
  void whoIsStartedLaterHasWhatWasChanged() throws Exception {
    managers(Map.of("lampone.tm.retention", "10m", "lampone.tm.http.port", "-1"));
    LocalCluster.open(folder, SystemClock.INSTANCE).configure(Map.of("lampone.tm.retention", "3s"));
    assertThat(properties("tm2"))
        .containsEntry("lampone.tm.retention", "3s")
        .containsEntry("lampone.tm.http.port", "-1");
    assertThat(LocalCluster.open(folder, SystemClock.INSTANCE).plan().settings())
        .containsEntry("lampone.tm.retention", "3s");
  }

  @Test
  void aValidatorHasTheSettingsOfAManagerAndAName() throws Exception {
    Map<String, String> settings = Map.of("lampone.tm.retention", "3s");
    LocalCluster.create(
        new ClusterPlan(folder, 1, 1, 1, 1, 2, Duration.ofSeconds(10), settings),
        SystemClock.INSTANCE,
        new Random());
    assertThat(properties("v2"))
        .containsEntry("lampone.tm.validator.name", "v2")
        .containsEntry("lampone.tm.retention", "3s");
    assertThat(properties("tm1")).doesNotContainKey("lampone.tm.validator.name");
    assertThat(LocalCluster.open(folder, SystemClock.INSTANCE).plan().validators()).isEqualTo(2);
  }

  private List<Properties> managers(Map<String, String> settings) throws IOException {
    ClusterPlan plan = new ClusterPlan(folder, 1, 1, 1, 2, Duration.ofSeconds(10), settings);
    LocalCluster.create(plan, SystemClock.INSTANCE, new Random());
    return List.of(properties("tm1"), properties("tm2"));
  }

  private Properties properties(String name) throws IOException {
    Properties properties = new Properties();
    try (Reader file = Files.newBufferedReader(folder.resolve("conf/" + name + "/tm.properties"))) {
      properties.load(file);
    }
    return properties;
  }
}
