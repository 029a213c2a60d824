package io.lampone.client.core;

import io.lampone.client.core.TransactionStore.FlushBatch;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.RegionRequest.FollowerList;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Transaction cells that a transaction has sent, its leader among them, and the content of the next
 * flush. Not thread-safe.
 */
final class SentIntents {

  private final Begin begin;
  private final int recordedFollowers;
  // place of every transaction cell -> slots that were rolled back when it was sent last
  private final Map<RowFamily, SlotSet> cells = new TreeMap<>();
  private long flushNumber;
  // fixed before the first flush
  private @Nullable RowFamily leader;

  /**
   * @param recordedFollowers limit of followers listed at the leader
   */
  SentIntents(Begin begin, int recordedFollowers) {
    this.begin = begin;
    this.recordedFollowers = recordedFollowers;
  }

  /** Returns the name of the transaction; empty until it has a leader. */
  Optional<TransactionId> id() {
    return Optional.ofNullable(leader).map(l -> new TransactionId(begin.startTimestamp(), l));
  }

  boolean isEmpty() {
    return cells.isEmpty();
  }

  /** Fixes the leader of a transaction that has none. */
  void lead(RowFamily place) {
    leader = place;
  }

  /** Returns every transaction cell but the leader's. */
  List<RowFamily> followers() {
    List<RowFamily> followers = new ArrayList<>(cells.keySet());
    followers.remove(leader);
    return followers;
  }

  /**
   * Drains the buffer into a flush. The last one also brings the set of rolled-back slots to every
   * cell that does not have it, and the complete list of followers to the leader.
   */
  FlushBatch drain(WriteBuffer buffer, SlotSet rolledBack, boolean last) {
    if (leader == null) {
      leader = buffer.firstPlace();
    }
    List<RowFamily> others = new ArrayList<>();
    if (last) {
      cells.forEach(
          (place, slots) -> {
            if (!slots.equals(rolledBack) || place.equals(leader)) {
              others.add(place);
            }
          });
    }
    buffer.places().forEach(place -> cells.put(place, rolledBack));
    others.forEach(place -> cells.put(place, rolledBack));
    FollowerList followers =
        last ? FollowerList.ofAll(followers(), recordedFollowers) : FollowerList.INCOMPLETE;
    return new FlushBatch(
        new TransactionId(begin.startTimestamp(), leader),
        begin.floor(),
        ++flushNumber,
        buffer.drain(rolledBack, others, leader, followers),
        begin.grant());
  }
}
