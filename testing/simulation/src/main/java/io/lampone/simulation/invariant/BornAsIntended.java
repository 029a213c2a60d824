package io.lampone.simulation.invariant;

import io.lampone.coprocessor.core.intent.CellWrite;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.FastOperation.Kind;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.simulation.hbase.RegionLog;
import io.lampone.simulation.world.Place;
import io.lampone.simulation.world.Schema;
import io.lampone.simulation.world.World;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Invariant that what is committed at the moment at which it is written, in one region or by the
 * fast path, is what its client has asked for: no column more, none less, and the same values.
 */
public final class BornAsIntended implements Invariant {

  private final World world;
  private final Commits commits;
  private final Map<Long, Map<Place, Optional<Bytes>>> ofTransactions = new HashMap<>();
  private final Map<OperationId, Map<Place, Optional<Bytes>>> ofOperations = new HashMap<>();

  /**
   * @param commits which has received each event before
   */
  public BornAsIntended(World world, Commits commits) {
    this.world = world;
    this.commits = commits;
  }

  @Override
  public void intends(long start, Map<Place, Optional<Bytes>> writes) {
    ofTransactions.put(start, Map.copyOf(writes));
  }

  @Override
  public void intends(OperationId id, Bytes row, Mutation mutation) {
    Map<Place, Optional<Bytes>> writes = new HashMap<>();
    boolean isPut = mutation.kind() == Kind.PUT;
    for (Schema.Column column : Schema.COLUMNS) {
      boolean isMeant =
          mutation.kind() == Kind.DELETE_FAMILY || column.qualifier().equals(mutation.qualifier());
      if (isMeant && column.family().equals(mutation.family())) {
        writes.put(
            new Place(row, column), isPut ? Optional.of(mutation.value()) : Optional.empty());
      }
    }
    ofOperations.put(id, writes);
  }

  @Override
  public void appended(RegionLog log, List<RegionLog.RowWrite> writes) {
    Map<OperationId, Long> versions = new HashMap<>();
    for (RegionLog.RowWrite write : writes) {
      for (CellWrite cell : write.cells()) {
        if (!Timestamps.needsTransactionCell(cell.version())
            && !cell.id().equals(OperationId.NONE)) {
          versions.put(cell.id(), cell.version());
        }
      }
    }
    versions.forEach(
        (id, version) -> {
          Map<Place, Optional<Bytes>> wanted =
              id.isTransaction() ? ofTransactions.get(id.counter()) : ofOperations.get(id);
          if (wanted != null) {
            Map<Place, Optional<Bytes>> born = born(writes, version);
            if (!born.equals(wanted)) {
              world.violated(
                  "BornAsIntended", "id=" + id + " wanted=" + wanted + " written=" + born);
            }
          }
        });
  }

  /** Returns the columns of the rows that have got this version. */
  private Map<Place, Optional<Bytes>> born(List<RegionLog.RowWrite> writes, long version) {
    Map<Place, Optional<Bytes>> born = new HashMap<>();
    for (RegionLog.RowWrite write : writes) {
      for (Schema.Column column : Schema.COLUMNS) {
        Place place = new Place(write.row(), column);
        commits
            .below(place, version + 1)
            .filter(newest -> newest.getKey() == version)
            .ifPresent(newest -> born.put(place, newest.getValue()));
      }
    }
    return born;
  }
}
