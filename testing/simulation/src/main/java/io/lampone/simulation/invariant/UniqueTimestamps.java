package io.lampone.simulation.invariant;

import io.lampone.protocol.tm.StartBlock;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.wire.WireReply;
import io.lampone.simulation.world.Coordination;
import io.lampone.simulation.world.World;
import java.util.HashSet;
import java.util.Set;

/** No timestamp is issued twice; none leaves before the bound above it is durable. */
public final class UniqueTimestamps implements Invariant {

  private final World world;
  private final Coordination coordination;
  private final boolean ordered;
  private final Set<Long> issued = new HashSet<>();
  private long highest;

  /** Commit timestamps of validations: decisions are repeated, and that is no second issue. */
  private final Set<Long> decided = new HashSet<>(Set.of(0L));

  public UniqueTimestamps(World world, Coordination coordination, boolean ordered) {
    this.world = world;
    this.coordination = coordination;
    this.ordered = ordered;
  }

  @Override
  public void answered(String manager, long epoch, WireReply reply) {
    if (reply instanceof WireReply.Begun begun) {
      issued(manager, begun.begin().startTimestamp(), ordered);
    } else if (reply instanceof WireReply.Progressed progressed) {
      StartBlock block = progressed.block();
      for (int i = 0; i < block.count(); i++) {
        issued(manager, block.begin(i).startTimestamp(), ordered);
      }
    } else if (reply instanceof WireReply.Validated validated
        && decided.add(commitOf(validated.validation()))) {
      // A decision whose reply was lost may be sent much later.
      issued(manager, commitOf(validated.validation()), false);
    }
  }

  /** Returns 0, which has been added, if there is none. */
  private static long commitOf(Validation validation) {
    if (validation instanceof Validation.Assigned assigned) {
      return assigned.commitTimestamp();
    }
    return validation instanceof Validation.Passed passed ? passed.commitTimestamp() : 0;
  }

  private void issued(String manager, long timestamp, boolean inOrder) {
    if (!issued.add(timestamp)) {
      world.violated("UniqueTimestamps", "issued twice, timestamp=" + timestamp);
    }
    if (inOrder && timestamp <= highest) {
      world.violated(
          "UniqueTimestamps",
          "out of order, manager=" + manager + " timestamp=" + timestamp + " last=" + highest);
    }
    highest = Math.max(highest, timestamp);
    long bound = coordination.record().map(record -> record.bound()).orElse(0L);
    if (timestamp >= bound) {
      world.violated(
          "UniqueTimestamps",
          "not below the durable bound, timestamp=" + timestamp + " bound=" + bound);
    }
  }
}
