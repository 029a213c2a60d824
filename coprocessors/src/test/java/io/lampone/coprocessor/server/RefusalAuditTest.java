package io.lampone.coprocessor.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.time.Clock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RefusalAuditTest {

  private static final Refusal UNPROVED = Refusal.of(Refusal.Code.UNPROVED, "say \"why\"\n{}");

  private long nanos;

  private final RefusalAudit audit =
      new RefusalAudit(
          new Clock() {
            @Override
            public long wallMillis() {
              return 1_700_000_000_000L;
            }

            @Override
            public long monotonicNanos() {
              return nanos;
            }
          });

  @Test
  void aLineHasTheFieldsOfTheTransactionManagers_andTextCannotForgeAnother() {
    assertThat(audit.line("mallory", "10.0.0.7", UNPROVED, "ns:t"))
        .hasValueSatisfying(
            line ->
                assertThat(line)
                    .startsWith("{\"time\":\"")
                    .contains("\"principal\":\"mallory\",\"from\":\"10.0.0.7\"")
                    .contains("\"what\":\"request\",\"on\":\"ns:t\"")
                    .contains("\"outcome\":\"UNPROVED: say \\\"why\\\"\\n{}\"")
                    .endsWith("\"leftOut\":0}")
                    .doesNotContain("\n"));
  }

  @Test
  void eachUserHasALineAMinute_whichCountsThoseLeftOut() {
    assertThat(audit.line("mallory", "", UNPROVED, "t")).isPresent();
    for (int i = 0; i < 5; i++) {
      assertThat(audit.line("mallory", "", UNPROVED, "t")).isEmpty();
    }
    assertThat(audit.line("trudy", "", UNPROVED, "t")).isPresent();
    Refusal misplaced = Refusal.of(Refusal.Code.MISPLACED, "");
    assertThat(audit.line("mallory", "", misplaced, "t")).isPresent();
    nanos += Duration.ofMinutes(1).toNanos();
    assertThat(audit.line("mallory", "", UNPROVED, "t"))
        .hasValueSatisfying(line -> assertThat(line).endsWith("\"leftOut\":5}"));
  }

  /** Names that a client makes up must not fill the memory: the oldest begins anew. */
  @Test
  void thousandsOfUsersAreForgotten() {
    audit.line("first", "", UNPROVED, "t");
    for (int i = 0; i < 1_000; i++) {
      audit.line("user-" + i, "", UNPROVED, "t");
    }
    assertThat(audit.line("first", "", UNPROVED, "t")).isPresent();
    assertThat(audit.line("user-999", "", UNPROVED, "t")).isEmpty();
  }
}
