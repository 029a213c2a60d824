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
      bar.progress("Exporting", 1, 4);
      bar.progress("Exporting", 2, 4); // too soon
      nanos += TimeUnit.SECONDS.toNanos(6);
      bar.progress("Exporting", 3, 4);
      bar.progress("Exporting", 4, 4);
      bar.progress("Checking", 0, 0);
    }
    assertThat(out.toString().lines())
        .containsExactly(
            "Exporting  [#######.......................]  25 %  1/4 regions",
            "Exporting  [######################........]  75 %  3/4 regions, 0:03 left",
            "Exporting  [##############################] 100 %  4/4 regions",
            "Checking   [##############################] 100 %  0/0 regions");
  }

  @Test
  void onATerminalOneLineIsWrittenAgainAndAgainAndNothingOfALongerOneStays() {
    try (ProgressBar bar = new ProgressBar(new PrintWriter(out), clock, true)) {
      bar.show(new ProgressBar.State("Exporting", 1, 4, "regions", 0, "a long detail"));
      nanos += TimeUnit.SECONDS.toNanos(1);
      bar.progress("Exporting", 2, 4);
    }
    assertThat(out.toString().split("\r", -1)).hasSize(3);
    assertThat(out.toString().split("\r")[2])
        .hasSizeGreaterThanOrEqualTo(out.toString().split("\r")[1].length())
        .endsWith(System.lineSeparator());
  }

  @Test
  void whatIsLeftToDoIsALineOfItsOwn() {
    try (ProgressBar bar = new ProgressBar(new PrintWriter(out), clock, true)) {
      bar.progress("Opening", 4, 4);
      bar.left("a compaction");
    }
    assertThat(out.toString().lines()).hasSize(3).endsWith("Left to do: a compaction");
  }

  /** Only rows show the progress in a single region; a resumed command starts with some. */
  @Test
  void rateAndTimeLeftCountFromWhereItBegan() {
    try (ProgressBar bar = new ProgressBar(new PrintWriter(out), clock, false)) {
      bar.show(state(2, 500));
      nanos += TimeUnit.SECONDS.toNanos(100);
      bar.show(state(2, 1_500));
      nanos += TimeUnit.SECONDS.toNanos(100);
      bar.show(state(4, 2_500));
    }
    assertThat(out.toString().lines().map(line -> line.substring(line.indexOf('%') + 1)))
        .containsExactly(
            "  2/9 regions, 500 rows, 1 MB",
            "  2/9 regions, 1500 rows, 1 MB, 10 rows/s",
            "  4/9 regions, 2500 rows, 1 MB, 10 rows/s, 8:20 left");
  }

  private static ProgressBar.State state(long done, long rows) {
    return new ProgressBar.State("Exporting", done, 9, "regions", rows, "1 MB");
  }
}
