package io.lampone.simulation.invariant;

import io.lampone.coprocessor.core.intent.CellWrite;
import io.lampone.protocol.OperationId;
import io.lampone.simulation.hbase.RegionLog;
import io.lampone.simulation.world.World;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Invariant that fast-path operations apply once, and never after a report that they did not. */
public final class AppliedOnce implements Invariant {

  private final World world;
  private final Map<OperationId, Long> versions = new HashMap<>();
  private final Set<OperationId> denied = new HashSet<>();

  public AppliedOnce(World world) {
    this.world = world;
  }

  @Override
  public void appended(RegionLog log, List<RegionLog.RowWrite> writes) {
    Set<OperationId> ids = new HashSet<>();
    long version = 0;
    for (RegionLog.RowWrite write : writes) {
      for (CellWrite cell : write.cells()) {
        if (!cell.id().equals(OperationId.NONE)) {
          ids.add(cell.id());
          version = cell.version();
        }
      }
    }
    for (OperationId id : ids) {
      Long before = versions.putIfAbsent(id, version);
      if (before != null) {
        violated("applied twice", id, version);
      }
      if (denied.contains(id)) {
        violated("applied after it was said that it never was", id, version);
      }
    }
  }

  @Override
  public void applied(OperationId id, long version) {
    if (!Long.valueOf(version).equals(versions.get(id))) {
      violated("said to be applied, stored=" + versions.get(id), id, version);
    }
  }

  @Override
  public void notApplied(OperationId id) {
    denied.add(id);
    if (versions.containsKey(id)) {
      violated("said not to be applied", id, versions.get(id));
    }
  }

  private void violated(String what, OperationId id, long version) {
    world.violated("AppliedOnce", what + ", id=" + id + " version=" + version);
  }
}
