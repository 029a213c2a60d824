package io.lampone.simulation.invariant;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.Trace;
import io.lampone.simulation.world.Violation;
import io.lampone.simulation.world.World;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests the invariant of validation. */
public final class NoConflictingOverlapTest {

  private static final long[] NOTHING = {};
  private static final long[] HASH = {7};

  private final World world = new World(new Chance(1), new Trace(false));
  private final NoConflictingOverlap invariant = new NoConflictingOverlap(world, new Commits());

  private void transaction(long start, long commit, long[] checks, long[] records) {
    invariant.validates(start, checks, records);
    invariant.committed(start, commit, Set.of());
  }

  @Test
  void aRecordWithinTheSpanOfACheckIsFoundInEitherOrder() {
    transaction(10, 30, HASH, NOTHING);
    transaction(15, 20, NOTHING, HASH);
    assertThat(world.violation()).map(Violation::invariant).contains("NoConflictingOverlap");
  }

  @Test
  void aCheckAroundARecordIsFound() {
    transaction(15, 20, NOTHING, HASH);
    transaction(10, 30, HASH, NOTHING);
    assertThat(world.violation()).map(Violation::invariant).contains("NoConflictingOverlap");
  }

  @Test
  void recordsBeforeTheStartAndAfterTheCommitDoNotCount() {
    transaction(10, 30, HASH, NOTHING);
    transaction(5, 10, NOTHING, HASH);
    transaction(20, 40, NOTHING, HASH);
    transaction(12, 13, HASH, NOTHING);
    assertThat(world.violation()).isEmpty();
  }
}
