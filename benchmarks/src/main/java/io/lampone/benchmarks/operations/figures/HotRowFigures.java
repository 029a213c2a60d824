package io.lampone.benchmarks.operations.figures;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.benchmarks.report.Quartiles;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Figures of a run on a hot row over time.
 *
 * @param seconds duration
 * @param retentionSeconds distance of the safe point
 * @param commits commits of the hot row
 * @param dead clients that ended between their intents and their commit
 * @param lost true if the hot row did not show the last commit in the end
 * @param samples samples in order of time; the first is of an empty table
 */
public record HotRowFigures(
    int seconds,
    int retentionSeconds,
    long commits,
    long dead,
    boolean lost,
    List<HotRowSample> samples) {

  /** Length of the compared windows: the minute after the first one, and the last. */
  private static final int WINDOW_SECONDS = 60;

  public HotRowFigures {
    samples = List.copyOf(samples);
  }

  /** Reads of the hot row in the last minute, in units of those after the first minute. */
  public double readRatio() {
    return last(HotRowSample::readMicros) / afterFirst(HotRowSample::readMicros);
  }

  /** Returns the same ratio of plain reads of a plain row, the slowdown of the machine itself. */
  public double plainReadRatio() {
    return last(HotRowSample::plainReadMicros) / afterFirst(HotRowSample::plainReadMicros);
  }

  /** Returns the maximum in the second half of the run, in units of that in the first half. */
  private double growth(ToDoubleFunction<HotRowSample> figure) {
    int middle = seconds / 2;
    double before = most(figure, 0, middle);
    return before == 0 ? 0 : most(figure, middle, seconds + 1) / before;
  }

  private double most(ToDoubleFunction<HotRowSample> figure, int from, int to) {
    return samples.stream()
        .filter(s -> s.second() >= from && s.second() < to)
        .mapToDouble(figure)
        .max()
        .orElse(0);
  }

  private double afterFirst(ToDoubleFunction<HotRowSample> figure) {
    int from = Math.min(WINDOW_SECONDS, seconds / 3);
    return median(figure, from, from + WINDOW_SECONDS);
  }

  private double last(ToDoubleFunction<HotRowSample> figure) {
    return median(figure, Math.max(seconds - WINDOW_SECONDS, seconds * 2 / 3), seconds + 1);
  }

  private double median(ToDoubleFunction<HotRowSample> figure, int from, int to) {
    List<Double> figures =
        samples.stream()
            .filter(s -> s.second() >= from && s.second() < to)
            .map(figure::applyAsDouble)
            .filter(value -> value > 0)
            .toList();
    return figures.isEmpty() ? Double.NaN : Quartiles.of(figures).median();
  }

  /** Returns the lines for people. */
  public List<String> lines() {
    return List.of(
        String.format(
            Locale.ROOT,
            "%d s, retention %d s, %d commits of the hot row, %d clients died; last commit %s",
            seconds,
            retentionSeconds,
            commits,
            dead,
            lost ? "LOST" : "there"),
        String.format(
            Locale.ROOT,
            "Most in the second half, in units of the first: metadata bytes %.2f, versions %.2f,"
                + " oldest intent %.2f",
            growth(HotRowSample::metadataBytes),
            growth(HotRowSample::versionsPerRowMax),
            growth(HotRowSample::oldestIntentSeconds)),
        String.format(
            Locale.ROOT,
            "Reads of the hot row in the last minute, in units of those after the first: %.2f"
                + " (plain reads beside them: %.2f)",
            readRatio(),
            plainReadRatio()));
  }

  /** Returns one line for scripts. */
  public String toJson() {
    ObjectNode line = new ObjectMapper().createObjectNode();
    line.put("seconds", seconds);
    line.put("retentionSeconds", retentionSeconds);
    line.put("commits", commits);
    line.put("dead", dead);
    line.put("lost", lost);
    line.put("readRatio", readRatio());
    line.put("plainReadRatio", plainReadRatio());
    line.put("metadataBytesGrowth", growth(HotRowSample::metadataBytes));
    line.put("versionsGrowth", growth(HotRowSample::versionsPerRowMax));
    line.put("oldestIntentGrowth", growth(HotRowSample::oldestIntentSeconds));
    ArrayNode all = line.putArray("samples");
    samples.forEach(all::addPOJO);
    return line.toString();
  }

  /** Draws all figures as a self-contained SVG. */
  public String toSvg() {
    return new OverTime(seconds)
        .add("metadata, bytes", samples, HotRowSample::metadataBytes)
        .add("versions of the hot row's column, most", samples, HotRowSample::versionsPerRowMax)
        .add("oldest undecided intent, seconds", samples, HotRowSample::oldestIntentSeconds)
        .add("bytes of files", samples, HotRowSample::fileBytes)
        .add("read of the hot row in a snapshot, microseconds", samples, HotRowSample::readMicros)
        .add("plain read of a plain row, microseconds", samples, HotRowSample::plainReadMicros)
        .toSvg();
  }
}
