package io.lampone.benchmarks.compare;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Rows of a table, the same for every contender, and the accesses of transactions to them. One
 * column; every other row is in the second region. Popularity and region of a row are independent.
 */
public final class Rows {

  /** First key of the second region. */
  static final String SPLIT = "1";

  private static final byte[] FAMILY = {'f'};
  private static final byte[] QUALIFIER = {'q'};
  private static final int REGIONS = 2;

  /** Half of the accesses of {@link TransactionClass#TEN} are reads. */
  private static final int HALF_OF_TEN = 5;

  /** Most rows of a transaction; in the mix of the paper's evaluation 63.2 % have three or less. */
  public static final int MOST_ROWS = 10;

  /** Interval of the transactions of {@link TransactionClass#BRWC} that read and write one row. */
  private static final int ONE_IN = 5;

  private static final double SIZE_THETA = 0.99;

  /** Parameter of the Zipf distribution of rows in the paper's evaluation. */
  public static final double THETA = 0.8;

  private final int count;
  private final byte[] value;
  private final ExactZipf sizes = new ExactZipf(MOST_ROWS, SIZE_THETA);
  private final ExactZipf popularity;

  /**
   * Creates rows with values of this size that do not compress.
   *
   * @param theta parameter of the Zipf distribution of rows
   */
  public Rows(int count, int valueBytes, double theta) {
    if (count < MOST_ROWS) {
      throw new IllegalArgumentException("fewer rows than a transaction takes, rows=" + count);
    }
    this.count = count;
    this.value = new byte[valueBytes];
    new Random(valueBytes).nextBytes(value);
    this.popularity = new ExactZipf(count, theta);
  }

  static byte[] family() {
    return FAMILY.clone();
  }

  int count() {
    return count;
  }

  /** Returns the accesses of the next transaction of a class. */
  List<Access> next(TransactionClass transactions, RandomGenerator random) {
    return switch (transactions) {
      case READ -> List.of(Access.read(random.nextInt(count)));
      case WRITE -> List.of(Access.write(random.nextInt(count)));
      case READ_WRITE -> List.of(Access.readAndWrite(random.nextInt(count)));
      case MIX -> mix(random);
      case BRWC -> random.nextInt(ONE_IN) == 0 ? popularReadAndWrite(random) : mix(random);
      case TEN -> ten(random);
    };
  }

  /** Sizes and rows by Zipf, each row a read or a write, half and half. */
  private List<Access> mix(RandomGenerator random) {
    int size = 1 + sizes.next(random);
    Set<Integer> chosen = new LinkedHashSet<>();
    while (chosen.size() < size) {
      chosen.add(scattered(popularity.next(random)));
    }
    List<Access> accesses = new ArrayList<>();
    for (int row : chosen) {
      accesses.add(random.nextBoolean() ? Access.read(row) : Access.write(row));
    }
    return accesses;
  }

  private List<Access> popularReadAndWrite(RandomGenerator random) {
    return List.of(Access.readAndWrite(scattered(popularity.next(random))));
  }

  private List<Access> ten(RandomGenerator random) {
    List<Access> accesses = new ArrayList<>();
    for (int i = 0; i < HALF_OF_TEN; i++) {
      accesses.add(Access.read(random.nextInt(count)));
      accesses.add(Access.write(random.nextInt(count)));
    }
    return accesses;
  }

  /** Returns the row of a rank: a permutation, as the multiplier is a prime above the row count. */
  private int scattered(int rank) {
    return (int) (rank * 2_147_483_647L % count);
  }

  /** Reads it. */
  public Get get(int row) {
    return new Get(key(row)).addFamily(FAMILY);
  }

  /** Writes it. */
  public Put put(int row) {
    return new Put(key(row)).addColumn(FAMILY, QUALIFIER, value);
  }

  /**
   * Checks the result of a read: an empty read would appear fast.
   *
   * @throws IOException if the result differs from the written value
   */
  public void require(Result result) throws IOException {
    byte[] found = result.getValue(FAMILY, QUALIFIER);
    if (found == null || !Bytes.equals(found, value)) {
      throw new IOException("a read gave not what had been written, result=" + result);
    }
  }

  private static byte[] key(int row) {
    return String.format(Locale.ROOT, "%d-%08d", row % REGIONS, row).getBytes(US_ASCII);
  }
}
