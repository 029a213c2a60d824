package io.lampone.simulation.invariant;

import io.lampone.coprocessor.core.intent.CellWrite;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.simulation.hbase.RegionLog;
import io.lampone.simulation.hbase.RegionServer;
import io.lampone.simulation.world.World;
import java.util.List;

/**
 * A region server's clock is not below any snapshot that it has answered for, nor any commit
 * timestamp that it has written into a cell.
 */
public final class ClockNotBehind implements Invariant {

  private final World world;

  public ClockNotBehind(World world) {
    this.world = world;
  }

  @Override
  public void served(RegionServer server, long snapshot) {
    require(server, snapshot, "a snapshot that it has read at");
  }

  @Override
  public void written(RegionServer server, List<RegionLog.RowWrite> writes) {
    for (RegionLog.RowWrite write : writes) {
      for (CellWrite cell : write.cells()) {
        if (Timestamps.isCommittedAtBirth(cell.version())) {
          require(server, cell.version(), "a version that it has written");
        } else if (cell.qualifier().equals(Reserved.TRANSACTION)) {
          long commit = TransactionCell.decode(cell.value().unsafeArray()).commitTimestamp();
          require(server, commit, "a commit that it has written");
        }
      }
    }
  }

  private void require(RegionServer server, long timestamp, String what) {
    if (server.versions().current() < timestamp) {
      world.violated(
          "ClockNotBehind",
          "behind "
              + what
              + ", server="
              + server.name()
              + " clock="
              + server.versions().current()
              + " timestamp="
              + timestamp);
    }
  }
}
