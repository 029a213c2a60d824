package io.lampone.protocol.tm;

import io.lampone.protocol.MalformedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

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
  public static final BucketMap OF_PRIMARY = new BucketMap(0, List.of(), initial());

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

  private final long version;
  private final List<Node> validators;
  private final List<List<Era>> eras;

  /**
   * Creates a map.
   *
   * @param version the timestamp of the last change; 0 = never changed
   * @param eras those of each bucket, by descending {@code since}
   */
  public BucketMap(long version, List<Node> validators, List<List<Era>> eras) {
    this.version = version;
    this.validators = List.copyOf(validators);
    this.eras = List.copyOf(eras);
    List<Era> checked = List.of();
    for (List<Era> bucket : eras) {
      // Neighbours mostly share theirs.
      if (bucket.isEmpty() || !bucket.equals(checked)) {
        check(bucket);
      }
      checked = bucket;
    }
    if (eras.size() != BUCKETS || validators.size() > MAX_VALIDATORS) {
      throw new MalformedException(
          "wrong map of buckets, buckets=" + eras.size() + " validators=" + validators.size());
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

  private static List<List<Era>> initial() {
    List<Era> primary = List.of(new Era(0, PRIMARY));
    return Collections.nCopies(BUCKETS, primary);
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

  /** Returns the eras of a bucket, by descending beginning. */
  public List<Era> eras(int bucket) {
    return eras.get(bucket);
  }

  /** Returns the current owner of a bucket. */
  public int owner(int bucket) {
    return eras.get(bucket).get(0).owner();
  }

  /** Returns the number of buckets that an owner has now. */
  public int share(int owner) {
    int share = 0;
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
      share += owner(bucket) == owner ? 1 : 0;
    }
    return share;
  }

  /** Encodes the map as text: equal neighbours share a line. */
  public String encode() {
    StringBuilder text = new StringBuilder(HEADING).append("\nversion ").append(version);
    for (Node node : validators) {
      text.append("\nvalidator ").append(node.name()).append(' ').append(node.address());
      text.append(' ').append(node.incarnation());
    }
    int from = 0;
    for (int i = 1; i <= BUCKETS; i++) {
      if (i == BUCKETS || !eras.get(i).equals(eras.get(from))) {
        text.append("\nrun ").append(i - from);
        for (Era era : eras.get(from)) {
          text.append(' ').append(era.since()).append(':').append(era.owner());
        }
        from = i;
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
      List<List<Era>> eras = new ArrayList<>(BUCKETS);
      for (String line : lines.subList(1, lines.size())) {
        String[] words = line.split(" ", -1);
        switch (words[0]) {
          case "version" -> version = Long.parseLong(words[1]);
          case "validator" -> nodes.add(new Node(words[1], words[2], Long.parseLong(words[3])));
          case "run" -> addRun(words, eras);
          default -> {
            // Later versions may add lines.
          }
        }
      }
      return new BucketMap(version, nodes, eras);
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      throw new MalformedException("unreadable map of buckets", e);
    }
  }

  private static void addRun(String[] words, List<List<Era>> eras) {
    List<Era> run = new ArrayList<>();
    for (int i = 2; i < words.length; i++) {
      String[] era = words[i].split(":", -1);
      run.add(new Era(Long.parseLong(era[0]), Integer.parseInt(era[1])));
    }
    int length = Integer.parseInt(words[1]);
    if (length < 1 || length > BUCKETS - eras.size()) {
      throw new MalformedException("wrong run of buckets, length=" + length);
    }
    List<Era> shared = List.copyOf(run);
    for (int i = 0; i < length; i++) {
      eras.add(shared);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BucketMap map
        && version == map.version
        && validators.equals(map.validators)
        && eras.equals(map.eras);
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
