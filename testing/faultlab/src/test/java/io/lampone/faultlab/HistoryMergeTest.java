package io.lampone.faultlab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.checker.History;
import io.lampone.checker.Outcome;
import io.lampone.checker.format.HistoryReader;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryMergeTest {

  private static final String HEADER =
      "{\"txnhist\":1,\"workload\":\"rw-register\",\"claim\":\"strong-si\",\"clock\":\"mono-ns\"}\n";

  @TempDir private Path folder;

  @Test
  void linesOfAllPartsStandInTheOrderOfTheirTime() throws IOException {
    Path one = part("a", HEADER + invoke(1, 10) + ok(1, 40) + invoke(1, 50) + ok(1, 60));
    Path two = part("b", HEADER + invoke(2, 20) + ok(2, 30));
    Path target = folder.resolve("all");
    assertThat(HistoryMerge.merge(List.of(one, two), target)).isZero();
    assertThat(Files.readString(target))
        .isEqualTo(
            HEADER
                + invoke(1, 10)
                + invoke(2, 20)
                + ok(2, 30)
                + ok(1, 40)
                + invoke(1, 50)
                + ok(1, 60));
  }

  @Test
  void anEndThatItsWriterCouldNotFinishLeavesTheOutcomeUnknown() throws IOException {
    String cut = ok(1, 40).substring(0, 30);
    Path target = folder.resolve("all");
    assertThat(HistoryMerge.merge(List.of(part("a", HEADER + invoke(1, 10) + cut)), target))
        .isEqualTo(1);
    assertThat(Files.readString(target))
        .as("a checker that sees a write without an end refuses the history")
        .endsWith(
            "{\"type\":\"info\",\"process\":1,\"time\":10,\"f\":\"txn\","
                + "\"error\":\"no-end\"}\n");
    History history = read(target);
    assertThat(history.transactions()).hasSize(1);
    assertThat(history.transactions().get(0).outcome()).isEqualTo(Outcome.UNKNOWN);
  }

  @Test
  void aLineThatOnlyLooksCompleteIsNotBelievedWithoutItsEnd() throws IOException {
    // The text is JSON already; the writer was killed before the end of the line.
    String cut = ok(1, 40).strip();
    Path target = folder.resolve("all");
    assertThat(HistoryMerge.merge(List.of(part("a", HEADER + invoke(1, 10) + cut)), target))
        .isEqualTo(1);
  }

  @Test
  void aBrokenLineInTheMiddleIsAnError() throws IOException {
    Path part = part("a", HEADER + invoke(1, 10) + "{\"type\":\n" + ok(1, 40));
    assertThatThrownBy(() -> HistoryMerge.merge(List.of(part), folder.resolve("all")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("line=3");
  }

  private Path part(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private static History read(Path file) throws IOException {
    try (Reader reader = Files.newBufferedReader(file)) {
      return HistoryReader.read(reader);
    }
  }

  private static String invoke(int process, long time) {
    return "{\"type\":\"invoke\",\"process\":"
        + process
        + ",\"time\":"
        + time
        + ",\"f\":\"txn\",\"value\":[[\"w\",\"1\","
        + time
        + "]]}\n";
  }

  private static String ok(int process, long time) {
    return "{\"type\":\"ok\",\"process\":"
        + process
        + ",\"time\":"
        + time
        + ",\"f\":\"txn\",\"value\":[[\"r\",\"1\",null]],\"start_ts\":256}\n";
  }
}
