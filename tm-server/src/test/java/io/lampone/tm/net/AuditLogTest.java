package io.lampone.tm.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.time.Clock;
import io.lampone.tm.net.AuditLog.Source;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class AuditLogTest {

  private static final Source ROOT = new Source("root", true, "/10.0.0.7:40001");

  private long nanos;

  private final AuditLog audit =
      new AuditLog(
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
  void aLineNamesTheClientAndWhatItDid_andTextCannotForgeAnother() {
    assertThat(audit.line(ROOT, "drain", "a\n{\"b\"}", "done"))
        .contains(
            "{\"time\":\"2023-11-14T22:13:20Z\",\"principal\":\"root\",\"from\":\"/10.0.0.7:40001\","
                + "\"what\":\"drain\",\"on\":\"a\\n{\\\"b\\\"}\",\"outcome\":\"done\",\"leftOut\":0}");
  }

  @Test
  void theProofOfATokenIsLeftOut() {
    String argument = "token=AbC proof=c2VjcmV0\tproof=c2VjcmV0";
    assertThat(audit.line(ROOT, "renew-token", argument, "wrong argument, argument=proof=c2VjcmV0"))
        .hasValueSatisfying(
            line ->
                assertThat(line)
                    .contains("token=AbC proof=...", "argument=proof=...")
                    .doesNotContain("c2VjcmV0"));
  }

  @Test
  void eachPrincipalHasTenLinesAMinuteForEachAction_andTheNextCountsThoseLeftOut() {
    assertThat(lines(ROOT, "drain", 15)).isEqualTo(LogBudget.LINES);
    assertThat(lines(ROOT, "handover", 1)).isEqualTo(1);
    assertThat(lines(new Source("shop", true, ""), "drain", 1)).isEqualTo(1);
    nanos += Duration.ofMinutes(1).toNanos();
    assertThat(audit.line(ROOT, "drain", "", "done"))
        .hasValueSatisfying(line -> assertThat(line).endsWith("\"leftOut\":5}"));
  }

  /** Each handshake may claim another name: the disk must not fill. */
  @Test
  void namesThatWereNotProvedShareOneBudget() {
    int written = 0;
    for (int i = 0; i < 10_000; i++) {
      written += lines(new Source("mallory" + i, false, ""), "handshake", 1);
    }
    assertThat(written).isEqualTo(LogBudget.LINES);
    // Neither do they use up the budget of the principal whose name they claim.
    assertThat(lines(new Source("root", false, ""), "handshake", 1)).isZero();
    assertThat(lines(ROOT, "handshake", 1)).isEqualTo(1);
    nanos += Duration.ofMinutes(1).toNanos();
    assertThat(audit.line(new Source("mallory", false, ""), "handshake", "", "refused"))
        .hasValueSatisfying(
            line -> assertThat(line).contains("\"mallory\"").endsWith("\"leftOut\":9991}"));
  }

  @Test
  void longTextsAreCut() {
    String text = "x".repeat(100_000);
    assertThat(audit.line(new Source(text, true, ""), "drain", text, text))
        .hasValueSatisfying(line -> assertThat(line).hasSizeLessThan(1_000));
  }

  private int lines(Source who, String what, int times) {
    int written = 0;
    for (int i = 0; i < times; i++) {
      if (audit.line(who, what, "", "refused").isPresent()) {
        written++;
      }
    }
    return written;
  }
}
