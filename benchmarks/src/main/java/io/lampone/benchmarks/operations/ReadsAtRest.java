package io.lampone.benchmarks.operations;

import io.lampone.benchmarks.operations.Comparison.Side;
import io.lampone.benchmarks.report.Quartiles;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Compares reads of a frozen table with the same reads of a plain one. In each round every
 * comparison is A B B A, in short slices and in random order ({@link RoundOrder}), so that other
 * work of the machine affects both sides. A round's ratio is that of the sums of the slices'
 * medians. The result is the median of the rounds, with quartiles, and a control that compares the
 * plain side with itself: its spread is the resolution of the measurement.
 */
public final class ReadsAtRest {

  /** Random read; fails if the result differs from the written value. */
  interface Read {
    void once(Random random) throws IOException;
  }

  /**
   * Two ways to read the same content.
   *
   * @param measured reads by several equal clients, see {@link ConnectionRotation}; so is the unit
   * @param readsOfASlice number of reads for which a slice takes some milliseconds
   */
  record Pair(String name, List<Read> measured, List<Read> unit, int readsOfASlice) {}

  /** Clients that read in a round, one of each side. */
  private record Sitting(Read measured, Read unit) {

    static Sitting of(Pair pair, Random random) {
      return new Sitting(
          pair.measured().get(random.nextInt(pair.measured().size())),
          pair.unit().get(random.nextInt(pair.unit().size())));
    }
  }

  private final Clock clock;
  private final Random random;
  private final RoundOrder order;
  private final int rounds;
  private final Duration warmUp;

  /**
   * @param warmUp how long is read before it counts: until both ways have been compiled, the longer
   *     one is interpreted for longer
   */
  ReadsAtRest(Clock clock, long seed, int rounds, Duration warmUp) {
    this.clock = clock;
    this.random = new Random(seed);
    this.order = new RoundOrder(seed);
    this.rounds = rounds;
    this.warmUp = warmUp;
  }

  /** Returns the ratios of the measured side to the unit, in the order of the pairs. */
  List<Quartiles> compare(List<Pair> pairs) throws IOException {
    long begun = clock.monotonicNanos();
    while (clock.monotonicNanos() - begun < warmUp.toNanos()) {
      for (Pair pair : pairs) {
        Sitting readers = Sitting.of(pair, random);
        slice(readers.measured(), pair.readsOfASlice());
        slice(readers.unit(), pair.readsOfASlice());
      }
    }
    List<List<Double>> ratios = new ArrayList<>();
    pairs.forEach(pair -> ratios.add(new ArrayList<>(rounds)));
    for (int round = 0; round < rounds; round++) {
      for (RoundOrder.Turn turn : order.next(pairs.size())) {
        Pair pair = pairs.get(turn.index());
        Sitting readers = Sitting.of(pair, random);
        long measured = 0;
        long unit = 0;
        for (Side side : turn.sides()) {
          Read read = side == Side.MEASURED ? readers.measured() : readers.unit();
          long median = slice(read, pair.readsOfASlice());
          measured += side == Side.MEASURED ? median : 0;
          unit += side == Side.UNIT ? median : 0;
        }
        ratios.get(turn.index()).add((double) measured / unit);
      }
    }
    return ratios.stream().map(Quartiles::of).toList();
  }

  /** Returns the median time of a read in nanoseconds. */
  private long slice(Read read, int reads) throws IOException {
    long[] took = new long[reads];
    for (int i = 0; i < took.length; i++) {
      long before = clock.monotonicNanos();
      read.once(random);
      took[i] = clock.monotonicNanos() - before;
    }
    Arrays.sort(took);
    return took[took.length / 2];
  }
}
