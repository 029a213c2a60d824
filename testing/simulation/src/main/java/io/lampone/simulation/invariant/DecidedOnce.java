package io.lampone.simulation.invariant;

import io.lampone.coprocessor.core.intent.CellWrite;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.simulation.hbase.RegionLog;
import io.lampone.simulation.world.Coordination;
import io.lampone.simulation.world.World;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Invariant that the commit entry of a transaction leaves PENDING once, and a decided state changes
 * only from COMMITTED to FINAL. No follower contradicts or precedes it. FINAL is later than all
 * followers.
 */
public final class DecidedOnce implements Invariant {

  private final World world;
  private final Coordination coordination;

  /** By start timestamp, the newest state of the leader. */
  private final Map<Long, TransactionCell> leaders = new HashMap<>();

  /** Transactions whose followers were aborted while there was no leader. */
  private final Set<Long> abandoned = new HashSet<>();

  /** Followers that are PENDING, by start timestamp. */
  private final Map<Long, Integer> pendingFollowers = new HashMap<>();

  /** The states of all transaction cells, by row, family and start timestamp. */
  private final Map<List<Object>, TransactionState> states = new HashMap<>();

  public DecidedOnce(World world, Coordination coordination) {
    this.world = world;
    this.coordination = coordination;
  }

  @Override
  public void appended(RegionLog log, List<RegionLog.RowWrite> writes) {
    // The leader may be in the same row as a follower: all cells of a row change together.
    for (RegionLog.RowWrite write : writes) {
      each(write, true);
    }
    for (RegionLog.RowWrite write : writes) {
      each(write, false);
    }
  }

  private void each(RegionLog.RowWrite write, boolean leadersOnly) {
    for (CellWrite cell : write.cells()) {
      if (cell.qualifier().equals(Reserved.TRANSACTION)
          && Timestamps.needsTransactionCell(cell.version())) {
        TransactionCell stored = TransactionCell.decode(cell.value().unsafeArray());
        if (stored.isLeader() == leadersOnly) {
          List<Object> place = List.of(write.row(), cell.family(), cell.version());
          TransactionState before = states.put(place, stored.state());
          if (leadersOnly) {
            leader(cell.version(), stored);
          } else {
            follower(cell.version(), before, stored);
          }
        }
      }
    }
  }

  private void leader(long start, TransactionCell now) {
    TransactionCell before = leaders.put(start, now);
    TransactionState from = before == null ? TransactionState.PENDING : before.state();
    boolean same =
        before != null && from == now.state() && before.commitTimestamp() == now.commitTimestamp();
    boolean legal =
        same
            || switch (now.state()) {
              case PENDING, ABORTED -> from == TransactionState.PENDING;
              case COMMITTED -> from == TransactionState.PENDING && before != null;
              case FINAL ->
                  from == TransactionState.COMMITTED
                      && before != null
                      && before.commitTimestamp() == now.commitTimestamp();
            };
    if (!legal || now.state().isCommitted() && abandoned.contains(start)) {
      world.violated(
          "DecidedOnce",
          "commit entry changed, start="
              + start
              + " from="
              + (before == null ? "absent" : before.state() + "/" + before.commitTimestamp())
              + " to="
              + now.state()
              + "/"
              + now.commitTimestamp());
    }
    if (now.state() == TransactionState.FINAL && pendingFollowers.getOrDefault(start, 0) > 0) {
      world.violated("DecidedOnce", "FINAL before its followers are healed, start=" + start);
    }
  }

  private boolean abandoned(long start) {
    long safePoint = coordination.record().map(ManagerRecord::safePoint).orElse(0L);
    boolean tooOld = start < safePoint;
    if (tooOld) {
      abandoned.add(start);
    }
    return tooOld;
  }

  private void follower(long start, @Nullable TransactionState before, TransactionCell now) {
    TransactionCell leader = leaders.get(start);
    if (now.state() == TransactionState.PENDING) {
      if (before == null) {
        pendingFollowers.merge(start, 1, Integer::sum);
      } else if (before != TransactionState.PENDING) {
        world.violated("DecidedOnce", "follower is pending again, start=" + start);
      }
      return;
    }
    if (before == TransactionState.PENDING) {
      pendingFollowers.merge(start, -1, Integer::sum);
    }
    // Below the safe point an absent leader was aborted, or never put, and never will be.
    boolean asTheLeader =
        leader == null
            ? now.state() == TransactionState.ABORTED && abandoned(start)
            : (now.state() == TransactionState.ABORTED
                ? leader.state() == TransactionState.ABORTED
                : leader.state().isCommitted()
                    && leader.commitTimestamp() == now.commitTimestamp());
    if (!asTheLeader) {
      world.violated(
          "DecidedOnce",
          "follower says what its leader does not, start="
              + start
              + " follower="
              + now.state()
              + "/"
              + now.commitTimestamp()
              + " leader="
              + (leader == null ? "absent" : leader.state() + "/" + leader.commitTimestamp()));
    }
  }
}
