package io.lampone.benchmarks.operations.figures;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.benchmarks.report.Quartiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Cost of validators, and what their changes do to transactions.
 *
 * @param validators number of validators beside the primary
 * @param addedMicros time by which a commit takes longer where validators own its rows
 * @param commitRatio the same as a ratio
 * @param primaryMicros processor time of the primary for a transaction, by the number of its keys,
 *     with all buckets at a validator
 * @param aloneMicros the same without validators
 * @param projection the throughput with more validators, from such times
 * @param straddleKeys keys in the requests of a transaction with 8 keys that began before the
 *     addition of the second, third and fourth owner and commits after it, over all buckets
 * @param changes effect on transactions while a validator was added and removed
 * @param killRecoveryMillis time from the end of a validator's process to the first commit on a row
 *     of its buckets
 */
public record ScaleOutFigures(
    int validators,
    Quartiles addedMicros,
    Quartiles commitRatio,
    Map<Integer, Double> primaryMicros,
    Map<Integer, Double> aloneMicros,
    Projection projection,
    List<Double> straddleKeys,
    ChangeFigures changes,
    long killRecoveryMillis) {

  /** Returns true if no transaction failed because of an addition. */
  public boolean isSound() {
    return changes.failures() == 0;
  }

  /** Returns the lines for people. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            Locale.ROOT,
            "A commit takes %.0f us longer (%.0f..%.0f) with %d validators, ratio %.3f (%.3f..%.3f)",
            addedMicros.median(),
            addedMicros.lower(),
            addedMicros.upper(),
            validators,
            commitRatio.median(),
            commitRatio.lower(),
            commitRatio.upper()));
    lines.add(
        "Processor time of the primary for a transaction, us by keys: "
            + text(primaryMicros)
            + ", without validators "
            + text(aloneMicros));
    lines.addAll(projection.lines());
    lines.add("Keys sent for 8 keys while owners change from 1, 2, 3: " + straddleKeys);
    lines.add("Failed transactions during add and remove: " + changes.failures());
    lines.add(
        String.format(
            Locale.ROOT,
            "99th percentile of commits during add and remove: %.0f us, before %.0f us, ratio %.2f",
            changes.duringMicros(),
            changes.beforeMicros(),
            changes.ratio()));
    lines.add(
        "First commit on the buckets of a killed validator: after " + killRecoveryMillis + " ms");
    return lines;
  }

  static String text(Map<Integer, Double> micros) {
    StringBuilder text = new StringBuilder();
    micros.forEach(
        (keys, each) ->
            text.append(String.format(Locale.ROOT, "%s%d: %.2f", sep(text), keys, each)));
    return text.toString();
  }

  private static String sep(StringBuilder text) {
    return text.isEmpty() ? "" : ", ";
  }

  /** Returns one line for scripts. */
  public String toJson() {
    ObjectNode line = new ObjectMapper().createObjectNode();
    line.put("validators", validators);
    line.put("addedMicros", addedMicros.median());
    line.put("commitRatio", commitRatio.median());
    ObjectNode primary = line.putObject("primaryMicrosPerTransaction");
    primaryMicros.forEach((keys, each) -> primary.put(keys.toString(), each));
    ObjectNode alone = line.putObject("primaryMicrosAlone");
    aloneMicros.forEach((keys, each) -> alone.put(keys.toString(), each));
    projection.writeTo(line);
    straddleKeys.forEach(line.putArray("straddleKeys")::add);
    line.put("failuresOfAdd", changes.failures());
    line.put("changeP99Ratio", changes.ratio());
    line.put("killRecoveryMillis", killRecoveryMillis);
    return line.toString();
  }
}
