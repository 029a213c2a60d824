package io.lampone.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Runs each comparison of processes for a moment and checks every field. */
class ComparisonsIT {

  /** Runs a benchmark. */
  @FunctionalInterface
  interface Run {
    void run(PrintStream out) throws Exception;
  }

  @BeforeAll
  static void compileFast() {
    System.setProperty(ChildProcess.JVM_OPTIONS, ChildProcess.FOR_SHORT_RUNS);
  }

  @Test
  void theManagerIsComparedWithAnEcho() throws Exception {
    String output =
        output(
            out ->
                ManagerVersusEcho.run(
                    "--rates 50,1000 --slices 3 --warm-up 0.1 --json".split(" "), out));
    assertThat(output).contains("| 50 ", "| 1000 ", "\"benchmark\":\"tm-vs-echo\"");
    // Three slices of 0.3 seconds.
    assertThat(numbers(output, "requests")).containsOnly(45.0, 900.0).hasSize(6);
    assertThat(numbers(output, "p50Micros")).hasSize(6).allMatch(figure -> figure > 0);
    assertThat(numbers(output, "p99Micros")).hasSize(6).allMatch(figure -> figure > 0);
    assertThat(output).contains("\"ratio\":[", "\"control\":[");
  }

  @Test
  void callersWaitForAtLeastTheRoundTripsUnderThem() throws Exception {
    String output =
        output(
            out ->
                CallerLatency.run(
                    "--callers 1,8 --seconds 0.1 --warm-up 0.1 --json".split(" "), out));
    assertThat(output).contains("| 1 ", "| 8 ", "\"benchmark\":\"callers-wait\"");
    double[] begins = numbers(output, "begins").stream().mapToDouble(d -> d).toArray();
    double[] frames = numbers(output, "frames").stream().mapToDouble(d -> d).toArray();
    assertThat(begins).hasSize(2);
    assertThat(frames).hasSize(2);
    // Requests of one caller have a frame each; eight callers may share frames, never split them.
    assertThat(begins[0]).isPositive().isEqualTo(frames[0]);
    assertThat(begins[1]).isGreaterThanOrEqualTo(frames[1]);
    assertThat(numbers(output, "meanRoundTripMicros")).hasSize(2).allMatch(figure -> figure > 0);
  }

  static String output(Run run) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    run.run(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    return bytes.toString(StandardCharsets.UTF_8);
  }

  static List<Double> numbers(String output, String name) {
    List<Double> numbers = new ArrayList<>();
    Matcher matcher = Pattern.compile("\"" + name + "\":([0-9.]+)").matcher(output);
    while (matcher.find()) {
      numbers.add(Double.parseDouble(matcher.group(1)));
    }
    return numbers;
  }
}
