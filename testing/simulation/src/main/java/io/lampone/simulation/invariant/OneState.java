package io.lampone.simulation.invariant;

import io.lampone.protocol.Bytes;
import io.lampone.simulation.hbase.RowView;
import io.lampone.simulation.world.Place;
import io.lampone.simulation.world.Schema;
import io.lampone.simulation.world.World;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Invariant that a fast-path read shows a row, all columns together, in a state right after a
 * commit of it, or before all: never a later transaction without an earlier one.
 */
public final class OneState implements Invariant {

  private final World world;
  private final Commits commits;

  public OneState(World world, Commits commits) {
    this.world = world;
    this.commits = commits;
  }

  @Override
  public void shown(RowView row) {
    Map<Place, Optional<Bytes>> read = new HashMap<>();
    TreeSet<Long> states = new TreeSet<>();
    states.add(0L);
    for (Schema.Column column : Schema.COLUMNS) {
      Place place = new Place(row.row(), column);
      read.put(place, Optional.ofNullable(row.values().get(column)));
      states.addAll(commits.commitsOf(place));
    }
    if (states.stream().noneMatch(commit -> isState(read, commit))) {
      world.violated("OneState", "no commit has left what a fast read shows, read=" + read);
    }
  }

  private boolean isState(Map<Place, Optional<Bytes>> read, long commit) {
    return read.entrySet().stream()
        .allMatch(
            each ->
                commits
                    .below(each.getKey(), commit + 1)
                    .flatMap(Map.Entry::getValue)
                    .equals(each.getValue()));
  }
}
