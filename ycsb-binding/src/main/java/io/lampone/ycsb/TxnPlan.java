package io.lampone.ycsb;

import io.lampone.protocol.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.random.RandomGenerator;
import site.ycsb.Utils;

/**
 * Chooses the accesses of the next transaction: the number of keys, the keys, and which of them are
 * written.
 *
 * @param keys number of keys
 * @param mix mix of classes of transactions
 * @param valueBytes size of a value
 * @param sizes distribution of the number of keys of a transaction
 * @param ranks distribution of accesses to keys
 */
record TxnPlan(long keys, Mix mix, int valueBytes, Zipf sizes, Zipf ranks) {

  static final String MIX = "lampone.txn.mix";
  static final String VALUE_BYTES = "lampone.txn.value.bytes";

  private static final int MOST_KEYS = 10;
  private static final double SIZE_THETA = 0.99;
  private static final double KEY_THETA = 0.8;
  private static final long DEFAULT_KEYS = 1000;
  private static final int DEFAULT_VALUE_BYTES = 2048;

  /** Limit of a value: HBase's own limit of a cell is 10 MiB, including its key. */
  private static final int MOST_VALUE_BYTES = 10_000_000;

  private static final int ONE_IN_BRWC = 5;

  /** Mixes of transactions. */
  enum Mix {
    /** Reads and writes with equal probability. */
    RANDOM,
    /** One transaction in five reads and writes one key; the others are as in {@link #RANDOM}. */
    BRWC
  }

  /** Access of a transaction to one row. */
  record Access(Bytes row, boolean reads, boolean writes) {}

  /**
   * Work of a transaction.
   *
   * @param kind {@code RANDOM} or {@code BRWC}
   */
  record Plan(String kind, List<Access> accesses) {

    boolean writes() {
      return accesses.stream().anyMatch(Access::writes);
    }
  }

  static TxnPlan of(Properties properties) {
    // A transaction has up to MOST_KEYS keys.
    long keys =
        Settings.number(properties, LoadedKeys.RECORDS, DEFAULT_KEYS, MOST_KEYS, Long.MAX_VALUE);
    String mix = properties.getProperty(MIX, "random");
    return new TxnPlan(
        keys,
        switch (mix) {
          case "random" -> Mix.RANDOM;
          case "brwc" -> Mix.BRWC;
          default ->
              throw new IllegalArgumentException(
                  "no such mix: choose random or brwc, " + MIX + "=" + mix);
        },
        (int) Settings.number(properties, VALUE_BYTES, DEFAULT_VALUE_BYTES, 1, MOST_VALUE_BYTES),
        new Zipf(MOST_KEYS, SIZE_THETA),
        new Zipf(keys, KEY_THETA));
  }

  Plan next(RandomGenerator random) {
    if (mix == Mix.BRWC && random.nextInt(ONE_IN_BRWC) == 0) {
      return new Plan("BRWC", List.of(new Access(Bytes.wrap(row(number(random))), true, true)));
    }
    int size = (int) sizes.next(random);
    Set<Long> numbers = new LinkedHashSet<>();
    while (numbers.size() < size) {
      numbers.add(number(random));
    }
    List<Access> accesses = new ArrayList<>();
    for (long number : numbers) {
      boolean write = random.nextBoolean();
      accesses.add(new Access(Bytes.wrap(row(number)), !write, write));
    }
    return new Plan("RANDOM", accesses);
  }

  byte[] value(RandomGenerator random) {
    byte[] value = new byte[valueBytes];
    random.nextBytes(value);
    return value;
  }

  /** Returns the row of a key; keys are spread over all regions, independently of their rank. */
  static byte[] row(long number) {
    return ("user" + Utils.hash(number)).getBytes(StandardCharsets.UTF_8);
  }

  /** Draws a key; the rank is hashed to spread popular keys, as YCSB's scrambled generator does. */
  private long number(RandomGenerator random) {
    return Utils.hash(ranks.next(random)) % keys;
  }
}
