package io.lampone.benchmarks.omid;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.benchmarks.ChildProcess;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The comparison with Omid runs for a moment and reports every field of every side. */
class ManagerVersusOmidIT {

  /** Starts all of Omid's arrangements, and not just one: twice as many processes. */
  private static final boolean ALL = Boolean.getBoolean("lampone.test.omid");

  private static final int SIDES = ALL ? 6 : 4;
  private static final int PHASES = 2;

  @Test
  void everySideIsMeasuredUnderEveryLoad() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    System.setProperty(ChildProcess.JVM_OPTIONS, ChildProcess.FOR_SHORT_RUNS);
    ManagerVersusOmid.run(
        ("--seconds 0.3 --warm-up 0.3 --rounds 1 --under-way 8 --rates 100 --heap 512 --json"
                + (ALL ? "" : " --one-omid"))
            .split(" "),
        new PrintStream(bytes, true, StandardCharsets.UTF_8));
    String output = bytes.toString(StandardCharsets.UTF_8);
    assertThat(output)
        .contains("8 under way:", "100/s:", "in units of the best Omid", "\"underWay8\":{")
        .contains("| Lampone ", "| Omid lowLatency ");
    if (ALL) {
      assertThat(output).contains("| Omid default ", "| Omid 1 ms ");
    }
    for (String figure :
        new String[] {"perSecond", "perCpuSecond", "beginP50Micros", "wholeP99Micros"}) {
      assertThat(count(output, "\"" + figure + "\":")).isEqualTo(SIDES * PHASES);
    }
    assertThat(count(output, "\"slices\":2")).isEqualTo(SIDES * PHASES);
    // 100 a second for 0.3 seconds, twice; and random cells do not conflict.
    assertThat(count(output, "\"transactions\":60,")).isEqualTo(SIDES);
    assertThat(count(output, "\"aborted\":0")).isEqualTo(SIDES * PHASES);
  }

  private static long count(String output, String text) {
    return Pattern.compile(Pattern.quote(text)).matcher(output).results().count();
  }
}
