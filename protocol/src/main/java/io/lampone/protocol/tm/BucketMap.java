package io.lampone.protocol.tm;

import io.lampone.protocol.MalformedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * Owners of the buckets of conflict hashes, by time (ADR 91). Each bucket has eras: a validator
 * owns it for commit timestamps from the era's beginning up to the beginning of the next era. The
 * primary is one of the owners, at first the only one. Immutable.
 *
 * <p>A transaction with start timestamp {@code s} and a commit timestamp issued under this version
 * is validated by every owner of one of its buckets since {@code s}.
 */
public final class BucketMap {

  /** Number of buckets: divisible by each number up to 10, so that shares are equal. */
  public static final int BUCKETS = 2520;

  /** Maximum number of eras of a bucket; older ones are dropped. */
  public static final int MAX_ERAS = 4;

  /** Maximum number of validators. */
  public static final int MAX_VALIDATORS = 64;

  /** The owner {@code primary}; other owners are one more than their index in the validators. */
  public static final int PRIMARY = 0;

  /** The owner of an era whose validator has been lost. */
  public static final int LOST = -1;

  /** The primary owns all buckets. */
  public static final BucketMap OF_PRIMARY =
      new BucketMap(0, List.of(), List.of(new Run(BUCKETS, List.of(new Era(0, PRIMARY)))));

  private static final String HEADING = "lampone-buckets 1";

  /**
   * A validator process.
   *
   * @param name its name, unique among the validators; without white space
   * @param address {@code host:port} where it listens
   * @param incarnation random number of the process
   */
  public record Node(String name, String address, long incarnation) {}

  /**
   * Ownership of a bucket.
   *
   * @param since the first commit timestamp of the era
   * @param owner {@link #PRIMARY}, {@link #LOST} or the number of a validator
   */
  public record Era(long since, int owner) {}

  /**
   * Successive buckets with equal eras.
   *
   * @param length number of buckets
   * @param eras by descending {@code since}
   */
  public record Run(int length, List<Era> eras) {

    /** Copies the eras. */
    public Run {
      eras = List.copyOf(eras);
    }

    /** Returns the same buckets with other eras. */
    public Run with(UnaryOperator<List<Era>> change) {
      return new Run(length, change.apply(eras));
    }
  }

  private final long version;
  private final List<Node> validators;
  private final List<Run> runs;

  /** For each bucket the index of its run. */
  private final short[] runOf = new short[BUCKETS];

  /**
   * Creates a map.
   *
   * @param version the timestamp of the last change; 0 = never changed
   * @param runs all buckets; neighbours with equal eras become one run
   */
  public BucketMap(long version, List<Node> validators, List<Run> runs) {
    this.version = version;
    this.validators = List.copyOf(validators);
    List<Run> merged = new ArrayList<>();
    int buckets = 0;
    for (Run run : runs) {
      if (run.length() < 1 || run.length() > BUCKETS - buckets) {
        throw new MalformedException("wrong run of buckets, length=" + run.length());
      }
      int last = merged.size() - 1;
      if (last >= 0 && merged.get(last).eras().equals(run.eras())) {
        merged.set(last, new Run(merged.get(last).length() + run.length(), run.eras()));
      } else {
        check(run.eras());
        merged.add(run);
      }
      Arrays.fill(runOf, buckets, buckets + run.length(), (short) (merged.size() - 1));
      buckets += run.length();
    }
    this.runs = List.copyOf(merged);
    if (buckets != BUCKETS || validators.size() > MAX_VALIDATORS) {
      throw new MalformedException(
          "wrong map of buckets, buckets=" + buckets + " validators=" + validators.size());
    }
  }

  private void check(List<Era> bucket) {
    boolean wrong = bucket.isEmpty() || bucket.size() > MAX_ERAS;
    long before = Long.MAX_VALUE;
    for (Era era : bucket) {
      wrong |= era.since() >= before || era.since() > version && version != 0;
      wrong |= era.owner() < LOST || era.owner() > validators.size();
      before = era.since();
    }
    if (wrong) {
      throw new MalformedException("wrong eras of a bucket, eras=" + bucket);
    }
  }

  /** Returns the bucket of a conflict hash. */
  public static int bucketOf(long hash) {
    return (int) ((hash >>> Integer.SIZE) * BUCKETS >>> Integer.SIZE);
  }

  /** Returns the timestamp of the last change; it names the version. */
  public long version() {
    return version;
  }

  /** Returns true if the owners have ever changed. */
  public boolean isSharded() {
    return version != 0;
  }

  /** Returns the validators besides the primary. */
  public List<Node> validators() {
    return validators;
  }

  /** Returns the validator of an owner above {@link #PRIMARY}. */
  public Node validator(int owner) {
    return validators.get(owner - 1);
  }

  /** Returns all buckets. */
  public List<Run> runs() {
    return runs;
  }

  /** Returns the eras of a bucket, by descending beginning. */
  public List<Era> eras(int bucket) {
    return runs.get(runOf[bucket]).eras();
  }

  /** Returns the current owner of a bucket. */
  public int owner(int bucket) {
    return eras(bucket).get(0).owner();
  }

  /** Returns the number of buckets that an owner has now. */
  public int share(int owner) {
    return runs.stream()
        .filter(run -> run.eras().get(0).owner() == owner)
        .mapToInt(Run::length)
        .sum();
  }

  /** Encodes the map as text. */
  public String encode() {
    StringBuilder text = new StringBuilder(HEADING).append("\nversion ").append(version);
    for (Node node : validators) {
      text.append("\nvalidator ").append(node.name()).append(' ').append(node.address());
      text.append(' ').append(node.incarnation());
    }
    for (Run run : runs) {
      text.append("\nrun ").append(run.length());
      for (Era era : run.eras()) {
        text.append(' ').append(era.since()).append(':').append(era.owner());
      }
    }
    return text.append('\n').toString();
  }

  /**
   * Decodes the output of {@link #encode}.
   *
   * @throws MalformedException if it is not such text
   */
  public static BucketMap decode(String text) {
    List<String> lines = Arrays.asList(text.split("\n", -1));
    if (!lines.get(0).equals(HEADING)) {
      throw new MalformedException("unknown format of a map of buckets");
    }
    try {
      long version = 0;
      List<Node> nodes = new ArrayList<>();
      List<Run> runs = new ArrayList<>();
      for (String line : lines.subList(1, lines.size())) {
        String[] words = line.split(" ", -1);
        switch (words[0]) {
          case "version" -> version = Long.parseLong(words[1]);
          case "validator" -> nodes.add(new Node(words[1], words[2], Long.parseLong(words[3])));
          case "run" -> runs.add(run(words));
          default -> {
            // Later versions may add lines.
          }
        }
      }
      return new BucketMap(version, nodes, runs);
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      throw new MalformedException("unreadable map of buckets", e);
    }
  }

  private static Run run(String[] words) {
    List<Era> eras = new ArrayList<>();
    for (int i = 2; i < words.length; i++) {
      String[] era = words[i].split(":", -1);
      eras.add(new Era(Long.parseLong(era[0]), Integer.parseInt(era[1])));
    }
    return new Run(Integer.parseInt(words[1]), eras);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BucketMap map
        && version == map.version
        && validators.equals(map.validators)
        && runs.equals(map.runs);
  }

  @Override
  public int hashCode() {
    return Objects.hash(version, validators);
  }

  @Override
  public String toString() {
    return "version=" + version + " validators=" + validators;
  }
}
