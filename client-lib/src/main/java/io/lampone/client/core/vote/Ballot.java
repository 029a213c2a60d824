package io.lampone.client.core.vote;

import io.lampone.protocol.ConflictKeys;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.BucketMap.Era;
import io.lampone.protocol.tm.BucketMap.Node;
import io.lampone.protocol.tm.Validator.Assignment;
import io.lampone.protocol.tm.Validator.Vote;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The owners of a transaction's conflict hashes since its start, by one version of the map (ADR
 * 91): each of them must agree to the commit timestamp. An owner whose era begins after the start
 * is asked about its era only; its predecessor is asked too.
 */
public final class Ballot {

  /** Never filled: the primary alone decides on all hashes. */
  private static final Part NOTHING = new Part(0);

  private final BucketMap map;
  private final Part primary;
  private final Map<Integer, Part> others;
  private boolean complete = true;

  /** Hashes for one owner. */
  private static final class Part {

    private long from;
    // checked by this one, and recorded by others that do not check them
    private final IntList reads = new IntList();
    private final IntList checks = new IntList();
    private final IntList records = new IntList();

    Part(long from) {
      this.from = from;
    }
  }

  /** Growing list of positions. */
  private static final class IntList {

    private int[] values = new int[4];
    private int size;

    void add(int value) {
      // a hash may reach an owner by several of its eras
      if (size > 0 && values[size - 1] == value) {
        return;
      }
      if (size == values.length) {
        values = Arrays.copyOf(values, 2 * size);
      }
      values[size++] = value;
    }

    int[] toArray() {
      return Arrays.copyOf(values, size);
    }
  }

  /**
   * A validator to ask.
   *
   * @param vote the request
   * @param checks the position of each hash of {@code vote.check} in all hashes to check
   * @param records the same for {@code vote.record}
   */
  @SuppressWarnings("ArrayRecordComponent") // never changed after construction
  record Request(Node validator, Vote vote, int[] checks, int[] records) {}

  private final long start;
  private final long[] check;
  private final long[] record;

  /**
   * @param keys of a transaction all of whose reads and writes have been added
   */
  public Ballot(BucketMap map, long start, ConflictKeys keys) {
    this.map = map;
    this.start = start;
    this.check = keys.checkHashes();
    this.record = keys.recordHashes();
    if (map == BucketMap.OF_PRIMARY) {
      this.primary = NOTHING;
      this.others = Map.of();
    } else {
      this.primary = new Part(0);
      this.others = new LinkedHashMap<>();
      for (int i = 0; i < check.length; i++) {
        boolean remembered = keys.isOneSided(check[i]);
        int position = i;
        forOwners(check[i], part -> (remembered ? part.reads : part.checks).add(position));
      }
      for (int i = 0; i < record.length; i++) {
        int position = i;
        forOwners(record[i], part -> part.records.add(position));
      }
    }
  }

  private interface Adding {
    void addTo(Part part);
  }

  private void forOwners(long hash, Adding adding) {
    for (Era era : map.eras(BucketMap.bucketOf(hash))) {
      if (era.owner() == BucketMap.LOST) {
        complete = false;
      } else if (era.owner() == BucketMap.PRIMARY) {
        adding.addTo(primary);
      } else {
        long from = Math.max(start, era.since());
        Part part = others.computeIfAbsent(era.owner(), owner -> new Part(from));
        part.from = Math.min(part.from, from);
        adding.addTo(part);
      }
      if (era.since() <= start) {
        return;
      }
    }
    complete = false; // the era of the start has been dropped
  }

  /** Returns false if an owner cannot be asked any more. */
  public boolean isComplete() {
    return complete;
  }

  /** Returns true if the primary alone decides. */
  public boolean isAtPrimary() {
    return complete && others.isEmpty();
  }

  /** Returns the version of the map; 0 if the primary alone decides. */
  public long mapVersion() {
    return isAtPrimary() ? 0 : map.version();
  }

  /** Returns the hashes that the primary checks. */
  public long[] checkAtPrimary() {
    return isAtPrimary() ? check : pick(check, positionsAtPrimary());
  }

  /** Returns the hashes that the primary records. */
  public long[] recordAtPrimary() {
    return isAtPrimary() ? record : pick(record, primary.records.toArray());
  }

  /**
   * Returns the position among all hashes to check of one that the primary checks; 0 if it is out
   * of range, because the primary has decided on an earlier request by another map.
   */
  public int positionOfCheck(int atPrimary) {
    if (isAtPrimary()) {
      return atPrimary < check.length ? atPrimary : 0;
    }
    int[] positions = positionsAtPrimary();
    return atPrimary < positions.length ? positions[atPrimary] : 0;
  }

  private int[] positionsAtPrimary() {
    return join(primary.checks, primary.reads);
  }

  /** Returns the requests for votes on an assigned commit timestamp. */
  List<Request> requests(Assignment assigned) {
    return others.entrySet().stream()
        .map(entry -> request(map.validator(entry.getKey()), entry.getValue(), assigned))
        .toList();
  }

  private Request request(Node validator, Part part, Assignment assigned) {
    int[] checks = join(part.reads, part.checks);
    int[] records = part.records.toArray();
    Vote vote =
        new Vote(
            assigned,
            validator.incarnation(),
            part.from,
            part.reads.size,
            pick(check, checks),
            pick(record, records));
    return new Request(validator, vote, checks, records);
  }

  private static int[] join(IntList first, IntList second) {
    int[] all = Arrays.copyOf(first.values, first.size + second.size);
    System.arraycopy(second.values, 0, all, first.size, second.size);
    return all;
  }

  private static long[] pick(long[] hashes, int[] positions) {
    return Arrays.stream(positions).mapToLong(position -> hashes[position]).toArray();
  }
}
