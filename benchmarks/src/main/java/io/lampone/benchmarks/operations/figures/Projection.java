package io.lampone.benchmarks.operations.figures;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Projection of the throughput with several validators, from the processor time that each role has
 * taken for a transaction. It assumes a processor for each process, hashes in even shares, and no
 * other limit; none of it was measured.
 *
 * @param voteMicros measured processor time of a validator for a vote, by its number of keys
 * @param primaryMicros measured processor time of the primary for a transaction
 * @param fixedMicros part of a vote that does not depend on its keys, by least squares
 * @param keyMicros part for each key
 */
public record Projection(
    Map<Integer, Double> voteMicros, double primaryMicros, double fixedMicros, double keyMicros) {

  /** Keys of a transaction: of the measurements, and of Centiman's TPC-C (16 reads, 15 writes). */
  private static final int[] KEYS = {2, 31};

  private static final int[] VALIDATORS = {1, 2, 4, 8};
  private static final int TPCC = 31;
  private static final double MICROS_PER_SECOND = 1e6;

  /** Computes the two parts of a vote. */
  public static Projection of(Map<Integer, Double> voteMicros, Map<Integer, Double> primary) {
    double keys = voteMicros.keySet().stream().mapToInt(Integer::intValue).average().orElse(0);
    double micros = mean(voteMicros);
    double products = 0;
    double squares = 0;
    for (Map.Entry<Integer, Double> each : voteMicros.entrySet()) {
      products += (each.getKey() - keys) * (each.getValue() - micros);
      squares += (each.getKey() - keys) * (each.getKey() - keys);
    }
    double slope = squares == 0 ? 0 : products / squares;
    return new Projection(voteMicros, mean(primary), micros - slope * keys, slope);
  }

  private static double mean(Map<Integer, Double> micros) {
    return micros.values().stream().mapToDouble(Double::doubleValue).average().orElse(0);
  }

  /**
   * Returns the processor time of one of several validators for a transaction: each key is its own
   * with the same probability, and it is asked if one is.
   */
  double validatorMicros(int keys, int validators) {
    double asked = 1 - Math.pow(1 - 1.0 / validators, keys);
    return fixedMicros * asked + keyMicros * keys / validators;
  }

  /** Returns the transactions a second that the busiest role admits; the primary has no share. */
  double perSecond(int keys, int validators) {
    return MICROS_PER_SECOND / Math.max(primaryMicros, validatorMicros(keys, validators));
  }

  /** Returns a validator's throughput with {@code many} of them, in units of that with two. */
  double perValidator(int keys, int many) {
    return 2 * validatorMicros(keys, 2) / (many * validatorMicros(keys, many));
  }

  /** Returns the lines for people. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            Locale.ROOT,
            "Processor time of a validator for a vote, us by keys: %s; fixed %.3f, a key %.3f",
            ScaleOutFigures.text(voteMicros),
            fixedMicros,
            keyMicros));
    for (int keys : KEYS) {
      StringBuilder line = new StringBuilder();
      for (int validators : VALIDATORS) {
        line.append(
            String.format(Locale.ROOT, " %d: %.0f", validators, perSecond(keys, validators)));
      }
      lines.add(
          "Projection, not measured: transactions/s of " + keys + " keys by validators," + line);
    }
    lines.add(
        String.format(
            Locale.ROOT,
            "Projection, not measured: throughput of a validator among 8 is %.2f of that among 2, for"
                + " %d keys (Centiman measured 0.89 with TPC-C)",
            perValidator(TPCC, 8),
            TPCC));
    return lines;
  }

  /** Adds the fields for scripts. */
  void writeTo(ObjectNode line) {
    ObjectNode votes = line.putObject("voteMicros");
    voteMicros.forEach((keys, each) -> votes.put(keys.toString(), each));
    ObjectNode projection = line.putObject("projection");
    projection.put("measured", false);
    projection.put("voteFixedMicros", fixedMicros);
    projection.put("voteKeyMicros", keyMicros);
    projection.put("primaryMicros", primaryMicros);
    for (int keys : KEYS) {
      ObjectNode byValidators = projection.putObject("transactionsPerSecondOf" + keys + "Keys");
      for (int validators : VALIDATORS) {
        byValidators.put(String.valueOf(validators), Math.round(perSecond(keys, validators)));
      }
    }
    projection.put("perValidator8To2Of" + TPCC + "Keys", perValidator(TPCC, 8));
  }
}
