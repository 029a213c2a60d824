package io.lampone.simulation.invariant;

import io.lampone.coprocessor.core.visibility.SnapshotView;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.simulation.hbase.RegionLog;
import io.lampone.simulation.hbase.RowView;
import io.lampone.simulation.hbase.StoredCells;
import io.lampone.simulation.world.World;
import java.util.Map;

/**
 * Invariant that no undecided intent remains when everything is healed and another client has
 * written every row: any client that meets an intent resolves it. Remains of writes that were
 * rolled back to a savepoint block no transaction, and may wait for a healer.
 */
public final class NoIntentStuck implements Invariant {

  private static final long NEWEST = Long.MAX_VALUE / 2 / Timestamps.TICK * Timestamps.TICK;
  private static final ReadRequest EVERYTHING =
      new ReadRequest(NEWEST, false, 0, SlotSet.NONE, Map.of());

  private final World world;

  public NoIntentStuck(World world) {
    this.world = world;
  }

  @Override
  public void swept(RegionLog log) {
    log.eachRow(
        (row, cells) -> {
          RowView view =
              RowView.read(
                  row,
                  new StoredCells(row, cells),
                  new SnapshotView(EVERYTHING, (id, fate) -> false));
          if (!view.pointers().isEmpty()) {
            world.violated("NoIntentStuck", "still undecided, intents=" + view.pointers());
          }
        });
  }
}
