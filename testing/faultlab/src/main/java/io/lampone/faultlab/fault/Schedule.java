package io.lampone.faultlab.fault;

import io.lampone.faultlab.fault.FaultKind.Track;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Schedule of faults, drawn from a seed: the same seed, length, faults and cluster yield the same
 * schedule. In each track every kind has its turn, in a new order each round; so has every role of
 * servers. A role with only one server gets no faults: no other could take over.
 */
public final class Schedule {

  /** The target of a fault that is meant for whichever manager leads then. */
  public static final String PRIMARY = "tm-primary";

  private static final String MANAGER_PREFIX = "tm";
  private static final String ZOOKEEPER_PREFIX = "zk";
  private static final String VALIDATOR_PREFIX = "v";

  /** Distance of the numbers of two seeds: as in earlier versions, a seed keeps its schedule. */
  private static final int SEED_DISTANCE = 3;

  /** Time before the end without new faults. */
  private static final long QUIET_END_MILLIS = 3_000;

  /** Shortest gap between two faults of a track. */
  private static final long SHORTEST_GAP_MILLIS = 1_000;

  private final Map<String, Integer> roles;
  private final int validators;
  private final long lengthMillis;

  private Schedule(Map<String, Integer> roles, long lengthMillis) {
    this.roles = new TreeMap<>(roles);
    this.validators = roles.getOrDefault(VALIDATOR_PREFIX, 0);
    // They have faults of their own.
    this.roles.remove(VALIDATOR_PREFIX);
    this.lengthMillis = lengthMillis;
  }

  /**
   * Draws a schedule.
   *
   * @param roles how many servers of each role there are, by the prefix of their names
   */
  public static List<PlannedFault> draw(
      long seed, Duration length, Collection<FaultKind> kinds, Map<String, Integer> roles) {
    Schedule schedule = new Schedule(roles, length.toMillis());
    List<PlannedFault> all = new ArrayList<>();
    for (Track track : Track.values()) {
      List<FaultKind> mine =
          kinds.stream().filter(kind -> kind.track() == track).distinct().sorted().toList();
      // Each track has its own numbers: leaving one out does not change the others.
      Random random = new Random(seed * SEED_DISTANCE + track.ordinal());
      if (!mine.isEmpty()) {
        all.addAll(schedule.track(track, mine, random));
      }
    }
    all.sort(Comparator.comparingLong(PlannedFault::atMillis));
    return all;
  }

  private List<PlannedFault> track(Track track, List<FaultKind> kinds, Random random) {
    List<PlannedFault> faults = new ArrayList<>();
    Bag<FaultKind> nextKind = new Bag<>(kinds, random);
    Bag<String> nextRole = new Bag<>(redundantRoles(), random);
    Bag<String> nextDisk = new Bag<>(rolesWithDisks(), random);
    double share = shareOfGaps(track, kinds);
    long at = track.firstMillis();
    while (true) {
      FaultKind kind = nextKind.take();
      long millis = between(kind.shortestMillis(), kind.longestMillis(), random);
      if (at + millis > lengthMillis - QUIET_END_MILLIS) {
        return faults;
      }
      String target = target(kind, kind.meetsDisks() ? nextDisk : nextRole, random);
      faults.add(new PlannedFault(kind, at, millis, target, random.nextInt(Integer.MAX_VALUE)));
      long gap = between(track.shortestGapMillis(), track.longestGapMillis(), random);
      at += millis + Math.max(Math.min(gap, SHORTEST_GAP_MILLIS), (long) (share * gap));
    }
  }

  /** Returns less than 1 if gaps must shrink so that every kind has its turn. */
  private double shareOfGaps(Track track, List<FaultKind> kinds) {
    long faults = kinds.stream().mapToLong(FaultKind::longestMillis).sum();
    double gaps = (double) kinds.size() * track.longestGapMillis();
    return Math.min(1, (lengthMillis - QUIET_END_MILLIS - track.firstMillis() - faults) / gaps);
  }

  private List<String> redundantRoles() {
    List<String> redundant =
        roles.entrySet().stream()
            .filter(each -> each.getValue() > 1)
            .map(Map.Entry::getKey)
            .toList();
    return redundant.isEmpty() ? List.copyOf(roles.keySet()) : redundant;
  }

  /** Returns the roles with local data; transaction managers store all theirs in ZooKeeper. */
  private List<String> rolesWithDisks() {
    List<String> all =
        redundantRoles().stream().filter(role -> !role.equals(MANAGER_PREFIX)).toList();
    return all.isEmpty()
        ? roles.keySet().stream().filter(role -> !role.equals(MANAGER_PREFIX)).toList()
        : all;
  }

  private String target(FaultKind kind, Bag<String> nextRole, Random random) {
    switch (kind) {
      case KILL, KILL_TWO, PAUSE, PARTITION, ONE_WAY, CLOCK, SLOW_DISK, FULL_DISK -> {
        String role = nextRole.take();
        int number = 1 + random.nextInt(roles.getOrDefault(role, 1));
        return role.equals(MANAGER_PREFIX) && random.nextInt(4) != 0 ? PRIMARY : role + number;
      }
      case POWER_CUT -> {
        // Also of the only one: its acknowledged writes must be there after its restart.
        return ZOOKEEPER_PREFIX + (1 + random.nextInt(roles.getOrDefault(ZOOKEEPER_PREFIX, 1)));
      }
      case VALIDATOR_KILL, VALIDATOR_PAUSE -> {
        return VALIDATOR_PREFIX + (1 + random.nextInt(Math.max(1, validators)));
      }
      case HAND_OVER -> {
        return PRIMARY;
      }
      default -> {
        return "";
      }
    }
  }

  private static long between(int shortest, int longest, Random random) {
    return shortest + random.nextInt(longest - shortest + 1);
  }

  /** Returns each of its elements once, in random order, and begins again. */
  private static final class Bag<T> {

    private final List<T> all;
    private final Random random;
    private final List<T> left = new ArrayList<>();

    Bag(List<T> all, Random random) {
      this.all = List.copyOf(all);
      this.random = random;
    }

    T take() {
      if (left.isEmpty()) {
        left.addAll(all);
        Collections.shuffle(left, random);
      }
      return left.remove(left.size() - 1);
    }
  }
}
