package io.lampone.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.cli.check.Finding;
import io.lampone.cli.check.Finding.Level;
import org.junit.jupiter.api.Test;

class PhoenixServersTest {

  @Test
  void anotherVersionOfPhoenixIsToldWithBothNumbers() {
    assertThat(PhoenixServers.version(5 << 16 | 2 << 8 | 1).level()).isEqualTo(Level.OK);
    for (int version : new int[] {5 << 16 | 3 << 8, 5 << 16 | 1 << 8 | 3, 4 << 16 | 16 << 8}) {
      Finding finding = PhoenixServers.version(version);
      assertThat(finding.level()).isEqualTo(Level.FAIL);
      assertThat(finding.found())
          .contains((version >> 16) + "." + (version >> 8 & 0xff) + " on the servers", "of 5.2");
      assertThat(finding.advice()).contains("5.2.1");
    }
  }

  @Test
  void onlyAServerThatCannotLoadTheFilterLacksTheJar() {
    String missing =
        "ClassNotFoundException: org.apache.phoenix.filter.EmptyColumnOnlyFilter on the server";
    assertThat(PhoenixServers.jar("h:1", missing).level()).isEqualTo(Level.FAIL);
    assertThat(PhoenixServers.jar("h:1", "").level()).isEqualTo(Level.OK);
    assertThat(PhoenixServers.jar("h:1", "AccessDeniedException: no").level()).isEqualTo(Level.OK);
  }
}
