package io.lampone.protocol.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearestNameTest {

  private static final List<String> KNOWN =
      List.of(
          "lampone.tm.lease.duration", "lampone.tm.lease.renew.interval", "lampone.tm.http.port");

  @Test
  void aSlipOfTheFingersIsUnderstood() {
    assertThat(NearestName.of("lampone.tm.leese.duration", KNOWN))
        .contains("lampone.tm.lease.duration");
    assertThat(NearestName.of("lampone.tm.http.prot", KNOWN)).contains("lampone.tm.http.port");
    assertThat(NearestName.advice("lampone.tm.lease.duratio", KNOWN))
        .isEqualTo("did you mean lampone.tm.lease.duration?");
  }

  @Test
  void somethingElseIsNotGuessed() {
    assertThat(NearestName.of("hbase.rootdir", KNOWN)).isEmpty();
    assertThat(NearestName.of("x".repeat(1000), KNOWN)).isEmpty();
    assertThat(NearestName.advice("hbase.rootdir", KNOWN)).startsWith("remove it");
  }
}
