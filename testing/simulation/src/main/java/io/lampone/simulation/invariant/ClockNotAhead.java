package io.lampone.simulation.invariant;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.wire.WireReply;
import io.lampone.simulation.hbase.RegionLog;
import io.lampone.simulation.hbase.RegionServer;
import io.lampone.simulation.world.World;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Invariant that a region server's clock holds no timestamp of an epoch whose record the server has
 * not read, and none above the last one that was issued.
 */
public final class ClockNotAhead implements Invariant {

  private final World world;

  /** The lowest timestamp that was issued in each epoch. */
  private final NavigableMap<Long, Long> firstOfEpoch = new TreeMap<>();

  /** The highest timestamp that was issued. */
  private long issued;

  public ClockNotAhead(World world) {
    this.world = world;
  }

  @Override
  public void answered(String manager, long epoch, WireReply reply) {
    if (reply instanceof WireReply.Begun begun) {
      issued = Math.max(issued, begun.begin().startTimestamp());
      firstOfEpoch.merge(epoch, begun.begin().startTimestamp(), Math::min);
    } else if (reply instanceof WireReply.Progressed progressed && progressed.block().count() > 0) {
      issued = Math.max(issued, progressed.block().last());
      firstOfEpoch.merge(epoch, progressed.block().first(), Math::min);
    } else if (reply instanceof WireReply.Validated validated
        && validated.validation() instanceof Validation.Passed passed) {
      issued = Math.max(issued, passed.commitTimestamp());
    } else if (reply instanceof WireReply.Validated validated
        && validated.validation() instanceof Validation.Assigned assigned) {
      issued = Math.max(issued, assigned.commitTimestamp());
    } else if (reply instanceof WireReply.StatusIs told
        && told.status() instanceof Status.Assigned assigned) {
      issued = Math.max(issued, assigned.commitTimestamp());
    } else if (reply instanceof WireReply.StatusIs told
        && told.status() instanceof Status.Passed passed) {
      // The answer to the validation may not have left.
      issued = Math.max(issued, passed.commitTimestamp());
    }
  }

  @Override
  public void served(RegionServer server, long snapshot) {
    require(server);
  }

  @Override
  public void written(RegionServer server, List<RegionLog.RowWrite> writes) {
    require(server);
  }

  private void require(RegionServer server) {
    long read = server.fences().manager().map(ManagerRecord::epoch).orElse(0L);
    long clock = server.versions().current();
    if (Timestamps.tick(clock) > issued) {
      world.violated(
          "ClockNotAhead",
          "holds a timestamp that was not issued, server="
              + server.name()
              + " clock="
              + clock
              + " issued="
              + issued);
    }
    firstOfEpoch
        .tailMap(read, false)
        .forEach(
            (epoch, first) -> {
              if (clock >= first) {
                world.violated(
                    "ClockNotAhead",
                    "holds a timestamp of an epoch that it has not read, server="
                        + server.name()
                        + " clock="
                        + clock
                        + " epoch="
                        + epoch
                        + " read="
                        + read);
              }
            });
  }
}
