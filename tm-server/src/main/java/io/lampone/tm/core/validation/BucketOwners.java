package io.lampone.tm.core.validation;

import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.BucketMap.Era;
import io.lampone.protocol.tm.BucketMap.Node;
import io.lampone.protocol.tm.BucketMap.Run;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.RequestCursor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.IntPredicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * The primary's map of buckets, and its changes (ADR 91). A change takes one step: commit
 * timestamps issued before it are below its timestamp, all later ones at or above, and the new
 * owner is asked about its own era only. No state moves, and no transaction waits.
 *
 * <p>Single-threaded.
 */
public final class BucketOwners {

  private static final String NO_TIMESTAMP = "no timestamps at the moment: try again";

  private BucketMap map = BucketMap.OF_PRIMARY;

  /** For each bucket, since when it has had no other owner than the primary. */
  private final long[] solelySince = new long[BucketMap.BUCKETS];

  private Ownership ownership = Ownership.of(BucketMap.OF_PRIMARY);

  /** The smallest timestamp from which on {@link #forget} drops an era. */
  private long forgettable = Long.MAX_VALUE;

  /**
   * Counts of a map.
   *
   * @param shares number of buckets by owner, beginning with the primary
   * @param earlierEras number of eras that have ended
   * @param lostBuckets number of buckets with an era whose owner has been lost
   */
  public record Ownership(List<Integer> shares, int earlierEras, int lostBuckets) {

    private static Ownership of(BucketMap map) {
      int[] shares = new int[map.validators().size() + 1];
      int earlier = 0;
      int lost = 0;
      for (Run run : map.runs()) {
        int owner = run.eras().get(0).owner();
        if (owner >= 0) {
          shares[owner] += run.length();
        }
        earlier += run.length() * (run.eras().size() - 1);
        if (run.eras().stream().anyMatch(era -> era.owner() == BucketMap.LOST)) {
          lost += run.length();
        }
      }
      return new Ownership(Arrays.stream(shares).boxed().toList(), earlier, lost);
    }
  }

  /** Returns the map. */
  public BucketMap map() {
    return map;
  }

  /** Returns counts of the map. */
  public Ownership ownership() {
    return ownership;
  }

  /** Adopts the map of a predecessor that has handed over. */
  public void restore(BucketMap inherited) {
    map = inherited;
    ownership = Ownership.of(map);
    forgettable = Long.MAX_VALUE;
    int from = 0;
    for (Run run : map.runs()) {
      List<Era> eras = run.eras();
      Era current = eras.get(0);
      if (eras.size() > 1) {
        forgettable = Math.min(forgettable, eras.get(eras.size() - 2).since());
      }
      long since = current.owner() == BucketMap.PRIMARY ? current.since() : Long.MAX_VALUE;
      Arrays.fill(solelySince, from, from + run.length(), since);
      from += run.length();
    }
  }

  /**
   * Returns true if the primary may validate a request: it was made by this version of the map, or
   * all its hashes have had no other owner since the start of the transaction.
   */
  boolean mayValidate(RequestCursor request) {
    long version = request.has(FrameLayout.FLAG_SHARDED) ? request.tail().mapVersion() : 0;
    if (version != 0 || !map.isSharded()) {
      return version == map.version() || version == 0;
    }
    int all = request.checks() + request.records();
    long start = request.startTimestamp();
    for (int i = 0; i < all; i++) {
      if (solelySince[BucketMap.bucketOf(request.check(i))] > start) {
        return false;
      }
    }
    return true;
  }

  /**
   * Gives a validator its share of all buckets.
   *
   * @param since timestamp of the change
   * @param primaryKeeps whether the primary keeps a share
   * @throws IllegalStateException if it has a share already, or there are too many validators
   */
  public void add(Node added, long since, boolean primaryKeeps) {
    List<Node> nodes = validatorsWith(added);
    int owner = nodes.indexOf(added) + 1;
    if (indexOf(added).isPresent() && map.share(owner) > 0) {
      throw new IllegalStateException("the validator has its share already, name=" + added.name());
    }
    balance(nodes, since, share -> share == owner || owns(share, primaryKeeps));
  }

  /** Returns the validators with another one, if that one may be added. */
  private List<Node> validatorsWith(Node added) {
    List<Node> nodes = new ArrayList<>(map.validators());
    if (nodes.contains(added)) {
      return nodes;
    }
    if (nodes.stream().anyMatch(node -> isNamesake(node, added))) {
      throw new IllegalStateException(
          "another validator has this name: give each one its own, name=" + added.name());
    }
    if (nodes.size() == BucketMap.MAX_VALIDATORS) {
      throw new IllegalStateException("too many validators, limit=" + BucketMap.MAX_VALIDATORS);
    }
    nodes.add(added);
    return nodes;
  }

  private static boolean isNamesake(Node node, Node added) {
    return node.name().equals(added.name()) && node.incarnation() != added.incarnation();
  }

  /**
   * Gives the buckets of a validator to the others.
   *
   * @param lost whether it can no longer be asked: transactions under way that need its vote abort
   */
  public void remove(Node removed, long since, boolean primaryKeeps, boolean lost) {
    int owner = indexOf(removed).orElse(-1) + 1;
    if (owner == 0) {
      return;
    }
    if (map.share(owner) > 0) {
      boolean others =
          IntStream.rangeClosed(1, map.validators().size())
              .anyMatch(other -> other != owner && map.share(other) > 0);
      balance(
          map.validators(), since, share -> share != owner && owns(share, primaryKeeps || !others));
    }
    // Another validator may have dropped out, which renumbers them.
    int number = indexOf(removed).orElse(-1) + 1;
    if (lost && number != 0) {
      replaceEach(
          eras ->
              eras.stream()
                  .map(era -> era.owner() == number ? new Era(era.since(), BucketMap.LOST) : era)
                  .toList());
    }
  }

  /** Moves so many buckets from one owner to another; empty stands for the primary. */
  public void move(Optional<Node> from, Optional<Node> to, int count, long since) {
    int source = from.map(node -> indexOf(node).orElseThrow() + 1).orElse(BucketMap.PRIMARY);
    int target = to.map(node -> indexOf(node).orElseThrow() + 1).orElse(BucketMap.PRIMARY);
    int[] left = {count};
    int[] owners = currentOwners();
    for (int bucket = BucketMap.BUCKETS - 1; bucket >= 0 && left[0] > 0; bucket--) {
      if (owners[bucket] == source) {
        owners[bucket] = target;
        left[0]--;
      }
    }
    change(map.validators(), since, owners);
  }

  /**
   * Gives a validator those of the buckets that the primary has.
   *
   * @throws IllegalStateException if another one has its name, or there are too many validators
   */
  public void adopt(Node returned, List<Integer> buckets, long since) {
    List<Node> nodes = validatorsWith(returned);
    int owner = nodes.indexOf(returned) + 1;
    int[] owners = currentOwners();
    for (int bucket : buckets) {
      owners[bucket] = owners[bucket] == BucketMap.PRIMARY ? owner : owners[bucket];
    }
    change(nodes, since, owners);
  }

  /** Drops eras of which no transaction with a start timestamp from {@code oldest} on needs any. */
  public void forget(long oldest) {
    if (oldest >= forgettable) {
      replaceEach(eras -> needed(eras, oldest));
    }
  }

  private static List<Era> needed(List<Era> eras, long oldest) {
    int kept = 1;
    while (kept < eras.size() && eras.get(kept - 1).since() > oldest) {
      kept++;
    }
    return kept < eras.size() ? List.copyOf(eras.subList(0, kept)) : eras;
  }

  /** Returns true if an owner keeps a share in the next balance. */
  private boolean owns(int owner, boolean primaryKeeps) {
    return owner == BucketMap.PRIMARY ? primaryKeeps : map.share(owner) > 0;
  }

  /** Gives equal shares to the owners that keep one, and moves no more than that needs. */
  private void balance(List<Node> nodes, long since, IntPredicate keeps) {
    int[] keeping = IntStream.rangeClosed(0, nodes.size()).filter(keeps).toArray();
    int[] target = new int[nodes.size() + 1];
    for (int i = 0; i < keeping.length; i++) {
      int more = i < BucketMap.BUCKETS % keeping.length ? 1 : 0;
      target[keeping[i]] = BucketMap.BUCKETS / keeping.length + more;
    }
    int[] owners = currentOwners();
    int[] missing = target.clone();
    for (int owner : owners) {
      if (owner >= 0) {
        missing[owner]--;
      }
    }
    List<Integer> free = new ArrayList<>();
    for (int bucket = BucketMap.BUCKETS - 1; bucket >= 0; bucket--) {
      int owner = owners[bucket];
      if (owner < 0 || missing[owner] < 0) {
        free.add(bucket);
        if (owner >= 0) {
          missing[owner]++;
        }
      }
    }
    int next = 0;
    for (int owner : keeping) {
      for (; missing[owner] > 0; missing[owner]--) {
        owners[free.get(next++)] = owner;
      }
    }
    change(nodes, since, owners);
  }

  private int[] currentOwners() {
    int[] owners = new int[BucketMap.BUCKETS];
    int from = 0;
    for (Run run : map.runs()) {
      Arrays.fill(owners, from, from + run.length(), run.eras().get(0).owner());
      from += run.length();
    }
    return owners;
  }

  /** Sets the owner of each bucket. */
  private void change(List<Node> nodes, long since, int[] owners) {
    if (since <= map.version()) {
      throw new IllegalStateException(NO_TIMESTAMP);
    }
    List<Run> changed = new ArrayList<>();
    int from = 0;
    for (Run run : map.runs()) {
      for (int end = from + run.length(); from < end; ) {
        int owner = owners[from];
        int to = from + 1;
        while (to < end && owners[to] == owner) {
          to++;
        }
        List<Era> old = run.eras();
        boolean stays = owner == old.get(0).owner();
        changed.add(new Run(to - from, stays ? old : longer(old, new Era(since, owner))));
        from = to;
      }
    }
    set(since, nodes, changed);
  }

  private static List<Era> longer(List<Era> old, Era added) {
    List<Era> longer = new ArrayList<>();
    longer.add(added);
    longer.addAll(old.subList(0, Math.min(old.size(), BucketMap.MAX_ERAS - 1)));
    return List.copyOf(longer);
  }

  private void replaceEach(UnaryOperator<List<Era>> change) {
    set(map.version(), map.validators(), map.runs().stream().map(run -> run.with(change)).toList());
  }

  /** Sets the map, without validators that own nothing and never did. */
  private void set(long version, List<Node> nodes, List<Run> runs) {
    int[] numbers = new int[nodes.size() + 1];
    for (Run run : runs) {
      for (Era era : run.eras()) {
        if (era.owner() > 0) {
          numbers[era.owner()] = 1;
        }
      }
    }
    List<Node> used = new ArrayList<>();
    for (int owner = 1; owner <= nodes.size(); owner++) {
      if (numbers[owner] == 1) {
        used.add(nodes.get(owner - 1));
        numbers[owner] = used.size();
      }
    }
    boolean renumbered = used.size() < nodes.size();
    List<Run> numbered =
        renumbered
            ? runs.stream().map(run -> run.with(eras -> numbered(eras, numbers))).toList()
            : runs;
    restore(new BucketMap(version, used, numbered));
  }

  private static List<Era> numbered(List<Era> eras, int[] numbers) {
    return eras.stream()
        .map(era -> era.owner() > 0 ? new Era(era.since(), numbers[era.owner()]) : era)
        .toList();
  }

  private OptionalInt indexOf(Node node) {
    int index = map.validators().indexOf(node);
    return index < 0 ? OptionalInt.empty() : OptionalInt.of(index);
  }
}
