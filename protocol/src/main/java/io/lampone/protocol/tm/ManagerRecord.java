package io.lampone.protocol.tm;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.trust.DelegationToken;
import io.lampone.protocol.trust.ProofsFrom;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Content of the transaction manager's znode (protocol page, section 7): lease, epoch, address,
 * timestamp bound, floor and safe point, changed only as a whole by versioned compare-and-set.
 * Readable text, one {@code key=value} a line.
 *
 * @param epoch the term of the primary; grows by one with each takeover
 * @param holder the name of the lease holder, unique among processes
 * @param address {@code host:port} where the holder listens; empty while there is none
 * @param leaseSequence grows with each renewal; a backup takes over after the znode has not changed
 *     for the lease duration
 * @param leaseDurationMillis how long the holder may answer after it has sent its last renewal
 * @param released whether the holder has given the lease back, so that a backup need not wait
 * @param bound every timestamp issued in this epoch is below it
 * @param floor the smallest admissible start timestamp
 * @param safePoint the oldest readable snapshot
 * @param succession the successor of a planned hand-over; its lines are absent otherwise, and a
 *     process that does not know them takes the epoch with a new floor
 * @param proofsFrom the commit timestamp from which on leaders show a proof; empty in the record of
 *     an older version
 */
public record ManagerRecord(
    long epoch,
    String holder,
    String address,
    long leaseSequence,
    long leaseDurationMillis,
    boolean released,
    long bound,
    long floor,
    long safePoint,
    Optional<SuccessorRecord> succession,
    Optional<ProofsFrom> proofsFrom) {

  /** Name of the znode below the parent. */
  public static final String ZNODE = "tm";

  /** Default parent znode. */
  public static final String DEFAULT_PARENT = "/lampone";

  /** Maximum lease duration. */
  public static final Duration LONGEST_LEASE = Duration.ofDays(1);

  /** Maximum lead of a bound over the clocks of a reader that believes it. */
  public static final Duration LONGEST_AHEAD = Duration.ofSeconds(60);

  private static final String FORMAT = "1";

  /**
   * Returns the paths of the znodes that only transaction managers may change: the parent and its
   * children. Some of them are created later than others.
   */
  public static List<String> znodes(String parent) {
    return Stream.concat(
            Stream.of(parent),
            Stream.of(ZNODE, Member.ZNODE, Member.VALIDATORS_ZNODE, DelegationToken.ZNODE)
                .map(child -> parent + "/" + child))
        .toList();
  }

  /** Returns this record with another statement of proofs. */
  public ManagerRecord withProofsFrom(Optional<ProofsFrom> from) {
    return with(bound, from);
  }

  /** Returns this record with another bound. */
  public ManagerRecord withBound(long newBound) {
    return with(newBound, proofsFrom);
  }

  private ManagerRecord with(long newBound, Optional<ProofsFrom> from) {
    return new ManagerRecord(
        epoch,
        holder,
        address,
        leaseSequence,
        leaseDurationMillis,
        released,
        newBound,
        floor,
        safePoint,
        succession,
        from);
  }

  /** Returns a contradiction that no transaction manager would write; empty if there is none. */
  public Optional<String> contradiction() {
    if (bound < 0 || floor < 0 || safePoint < 0 || epoch < 0 || leaseDurationMillis <= 0) {
      return Optional.of(
          "a number is out of range, bound="
              + bound
              + " floor="
              + floor
              + " safePoint="
              + safePoint
              + " epoch="
              + epoch
              + " leaseDurationMillis="
              + leaseDurationMillis);
    }
    if (leaseDurationMillis > LONGEST_LEASE.toMillis()) {
      return Optional.of("the lease is too long, leaseDurationMillis=" + leaseDurationMillis);
    }
    if (floor > bound) {
      return Optional.of("the floor is above the bound, floor=" + floor + " bound=" + bound);
    }
    if (safePoint > bound) {
      return Optional.of(
          "the safe point is above the bound, safePoint=" + safePoint + " bound=" + bound);
    }
    return Optional.empty();
  }

  /**
   * Returns a contradiction as above, or if the bound is too far ahead of the given time.
   *
   * @param latest the latest timestamp that any clock known to this process can justify
   */
  public Optional<String> contradiction(long latest) {
    Optional<String> found = contradiction();
    if (found.isEmpty() && bound - latest > LONGEST_AHEAD.toNanos()) {
      return Optional.of(
          "the bound is too far ahead of every clock, bound=" + bound + " latest=" + latest);
    }
    return found;
  }

  /** Encodes the content of the znode. */
  public byte[] encode() {
    String text =
        "format="
            + FORMAT
            + "\nepoch="
            + epoch
            + "\nholder="
            + holder
            + "\naddress="
            + address
            + "\nleaseSequence="
            + leaseSequence
            + "\nleaseDurationMillis="
            + leaseDurationMillis
            + "\nreleased="
            + released
            + "\nbound="
            + bound
            + "\nfloor="
            + floor
            + "\nsafePoint="
            + safePoint
            + "\n"
            + succession
                .map(
                    next ->
                        "successor=" + next.successor() + "\nhandOver=" + next.handOver() + "\n")
                .orElse("")
            + proofsFrom.map(from -> "proofsFrom=" + from.toText() + "\n").orElse("");
    return Bytes.utf8(text).toArray();
  }

  /**
   * Decodes the output of {@link #encode}.
   *
   * @param array null for a znode without data
   * @throws MalformedException if the bytes are not such a record
   */
  public static ManagerRecord decode(byte @Nullable [] array) {
    if (array == null) {
      throw new MalformedException("znode of the transaction manager without data");
    }
    Map<String, String> values = new HashMap<>();
    for (String line : Bytes.of(array).toUtf8().split("\n", -1)) {
      int equals = line.indexOf('=');
      if (equals > 0) {
        values.put(line.substring(0, equals), line.substring(equals + 1));
      }
    }
    if (!FORMAT.equals(values.get("format"))) {
      throw new MalformedException(
          "unknown format of the transaction manager's znode, format=" + values.get("format"));
    }
    try {
      return new ManagerRecord(
          number(values, "epoch"),
          text(values, "holder"),
          text(values, "address"),
          number(values, "leaseSequence"),
          number(values, "leaseDurationMillis"),
          Boolean.parseBoolean(text(values, "released")),
          number(values, "bound"),
          number(values, "floor"),
          number(values, "safePoint"),
          values.containsKey("successor")
              ? Optional.of(
                  new SuccessorRecord(text(values, "successor"), text(values, "handOver")))
              : Optional.empty(),
          Optional.ofNullable(values.get("proofsFrom")).map(ProofsFrom::parse));
    } catch (NumberFormatException e) {
      throw new MalformedException("unreadable znode of the transaction manager", e);
    }
  }

  /** Returns true if the bytes declare another version of this format. */
  public static boolean isOfOtherFormat(byte[] array) {
    String text = Bytes.of(array).toUtf8();
    return text.startsWith("format=") && !text.startsWith("format=" + FORMAT + "\n");
  }

  private static long number(Map<String, String> values, String key) {
    return Long.parseLong(text(values, key));
  }

  private static String text(Map<String, String> values, String key) {
    String value = values.get(key);
    if (value == null) {
      throw new MalformedException("znode of the transaction manager lacks a line, key=" + key);
    }
    return value;
  }
}
