package io.lampone.simulation.invariant;

import io.lampone.simulation.world.Place;
import io.lampone.simulation.world.World;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Invariant of validation by any number of validators: of two committed transactions of which one
 * records what the other checks, none has the commit timestamp of the recording one between its
 * start and its commit timestamp. Transactions that no transaction manager has validated are not
 * judged.
 */
public final class NoConflictingOverlap implements Invariant, Commits.Listener {

  private final World world;

  /** All hashes that a transaction has asked for, by start timestamp. */
  private final Map<Long, Hashes> asked = new HashMap<>();

  /** Committed transactions by start timestamp. */
  private final Map<Long, Long> committed = new TreeMap<>();

  /** Hashes of a transaction. */
  private record Hashes(Set<Long> checks, Set<Long> records) {
    Hashes() {
      this(new HashSet<>(), new HashSet<>());
    }
  }

  public NoConflictingOverlap(World world, Commits commits) {
    this.world = world;
    commits.listen(this);
  }

  @Override
  public void validates(long start, long[] checks, long[] records) {
    Hashes hashes = asked.computeIfAbsent(start, s -> new Hashes());
    Arrays.stream(checks).forEach(hashes.checks()::add);
    Arrays.stream(records).forEach(hashes.records()::add);
  }

  @Override
  public void committed(long start, long commit, Set<Place> places) {
    if (!asked.containsKey(start)) {
      return;
    }
    committed.forEach(
        (otherStart, otherCommit) -> {
          require(start, commit, otherStart, otherCommit);
          require(otherStart, otherCommit, start, commit);
        });
    committed.put(start, commit);
  }

  private void require(long start, long commit, long otherStart, long otherCommit) {
    if (start < otherCommit
        && otherCommit < commit
        && !Collections.disjoint(hashes(start).checks(), hashes(otherStart).records())) {
      world.violated(
          "NoConflictingOverlap",
          "committed beside another transaction that conflicts with it, start="
              + start
              + " commit="
              + commit
              + " other="
              + otherStart
              + " otherCommit="
              + otherCommit);
    }
  }

  private Hashes hashes(long start) {
    return asked.getOrDefault(start, new Hashes());
  }
}
