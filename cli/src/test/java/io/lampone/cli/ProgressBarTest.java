package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.time.Clock;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProgressBarTest {

  private final StringWriter out = new StringWriter();
  private long nanos;

  private final Clock clock =
      new Clock() {
        @Override
        public long wallMillis() {
          return 0;
        }

        @Override
        public long monotonicNanos() {
          return nanos;
        }
      };

  @Test
  void whereNobodyWatchesALineIsWrittenNowAndThenAndAtTheEnd() {
    try (ProgressBar bar = new ProgressBar(new PrintWriter(out), clock, false)) {
      bar.show("Exporting", 1, 4, "regions");
      bar.show("Exporting", 2, 4, "regions"); // too soon
      nanos += TimeUnit.SECONDS.toNanos(6);
      bar.show("Exporting", 3, 4, "regions");
      bar.show("Exporting", 4, 4, "regions");
      bar.show("Checking", 0, 0, "");
    }
    assertThat(out.toString().lines())
        .containsExactly(
            "Exporting  [#######.......................]  25 %  1/4  regions",
            "Exporting  [######################........]  75 %  3/4  regions",
            "Exporting  [##############################] 100 %  4/4  regions",
            "Checking   [##############################] 100 %  0/0");
  }

  @Test
  void onATerminalOneLineIsWrittenAgainAndAgainAndNothingOfALongerOneStays() {
    try (ProgressBar bar = new ProgressBar(new PrintWriter(out), clock, true)) {
      bar.show("Exporting", 1, 4, "a long detail");
      nanos += TimeUnit.SECONDS.toNanos(1);
      bar.show("Exporting", 2, 4, "");
    }
    assertThat(out.toString().split("\r", -1)).hasSize(3);
    assertThat(out.toString().split("\r")[2])
        .hasSizeGreaterThanOrEqualTo(out.toString().split("\r")[1].length())
        .endsWith(System.lineSeparator());
  }
}
