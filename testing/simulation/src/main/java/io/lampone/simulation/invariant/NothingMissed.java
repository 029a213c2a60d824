package io.lampone.simulation.invariant;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.simulation.hbase.RowView;
import io.lampone.simulation.world.Place;
import io.lampone.simulation.world.Schema;
import io.lampone.simulation.world.World;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Invariant that a read of the latest state shows, of each column, nothing older than the newest
 * version that any client had seen when it began, by an acknowledged commit or by a read. This is a
 * promise of real time, and needs clocks within their limits.
 */
public final class NothingMissed implements Invariant, Commits.Listener {

  private final World world;
  private final Commits commits;
  private final boolean honestClocks;

  /** Places of each commit, by commit timestamp. */
  private final Map<Long, Set<Place>> places = new HashMap<>();

  /** Highest commit timestamp seen by any client, by place. */
  private final Map<Place, Long> told = new HashMap<>();

  private @Nullable Bytes news;

  public NothingMissed(World world, Commits commits, boolean honestClocks) {
    this.world = world;
    this.commits = commits;
    this.honestClocks = honestClocks;
    commits.listen(this);
  }

  /** A read that has begun: by column, the version that it must not miss. */
  public record Question(Bytes row, Map<Schema.Column, Long> known) {}

  @Override
  public void committed(long start, long commit, Set<Place> changed) {
    places.put(commit, Set.copyOf(changed));
  }

  @Override
  public void acknowledged(long start, long commit) {
    tell(commit);
  }

  @Override
  public void applied(OperationId id, long version) {
    tell(version);
  }

  @Override
  public void read(long snapshot, Place place, Optional<Bytes> value) {
    commits.below(place, snapshot).ifPresent(newest -> tell(place, newest.getKey()));
  }

  private void tell(long commit) {
    Set<Place> changed = places.getOrDefault(commit, Set.of());
    changed.forEach(place -> tell(place, commit));
    changed.stream().map(Place::row).max(Comparator.naturalOrder()).ifPresent(row -> news = row);
  }

  /** Returns the row of the latest change that a client learned. */
  public Optional<Bytes> news() {
    return Optional.ofNullable(news);
  }

  private void tell(Place place, long commit) {
    told.merge(place, commit, Math::max);
  }

  /** A read of the latest state of a row begins. */
  public Question begins(Bytes row) {
    Map<Schema.Column, Long> known = new HashMap<>();
    for (Schema.Column column : Schema.COLUMNS) {
      known.put(column, told.getOrDefault(new Place(row, column), 0L));
    }
    return new Question(row, known);
  }

  /** It shows this. */
  public void shown(Question question, RowView view) {
    for (Schema.Column column : Schema.COLUMNS) {
      Place place = new Place(question.row(), column);
      long known = question.known().getOrDefault(column, 0L);
      Optional<Bytes> value = Optional.ofNullable(view.values().get(column));
      Collection<Optional<Bytes>> possible = commits.from(place, known);
      boolean nothingYet = known == 0 && value.isEmpty();
      if (honestClocks && !nothingYet && !possible.contains(value)) {
        world.violated(
            "NothingMissed",
            "a read of the latest state shows what is older than what was known before, place="
                + place
                + " read="
                + value
                + " known="
                + known
                + " possible="
                + possible);
      }
    }
  }
}
