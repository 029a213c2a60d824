package io.lampone.client.core.status;

import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.Judgments;
import io.lampone.protocol.trust.Fate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Judgments that the next request of a scan carries: as many as one request holds, the latest
 * first.
 *
 * <p>A scan begins again at the row of the first undecided intent, and gets past this row in a few
 * rounds if one request holds the judgments of all its intents. The first round judges the row, and
 * as many behind it as one request holds: this may displace earlier judgments that the row needs as
 * well. A further round at the same row judges only this row, and displaces all others if there is
 * no room. The next one then meets all that the row still needs, for which there is room.
 *
 * <p>For one thread at a time.
 */
public final class ScanJudgments {

  private Map<TransactionId, Fate> carried = Map.of();

  /** Row of the first undecided intent that was met last. */
  private Bytes front = Bytes.EMPTY;

  /** True if a judgment was displaced: from then on a new one may be one that was known before. */
  private boolean displaced;

  /** Returns the judgments, the latest first. */
  public Map<TransactionId, Fate> carried() {
    return carried;
  }

  /**
   * Adds judgments of the first ones of some intents.
   *
   * @param met intents in the order of the scan, which begins again at the row of the first one
   * @param resolver judge of intents
   * @return true if the scan gets on
   */
  public Step<Boolean> resolve(
      List<Intent> met, Function<List<Intent>, Step<Map<TransactionId, Fate>>> resolver) {
    Bytes row = met.get(0).place().row();
    boolean stands = row.equals(front);
    front = row;
    return resolver.apply(due(met, stands)).map(fates -> add(fates, stands) || !stands);
  }

  /** Returns the intents that are judged next; only those of the first row if the scan stands. */
  private List<Intent> due(List<Intent> met, boolean stands) {
    Judgments.Room room = new Judgments.Room();
    List<Intent> due = new ArrayList<>();
    for (Intent intent : met) {
      if (stands && !intent.place().row().equals(front) || !room.take(intent.id())) {
        break;
      }
      due.add(intent);
    }
    return due;
  }

  /**
   * Adds judgments; those that do not fit beside them are dropped, the oldest first.
   *
   * @return true if some are certain to be new
   */
  public boolean add(Map<TransactionId, Fate> fates) {
    return add(fates, false);
  }

  private boolean add(Map<TransactionId, Fate> fates, boolean allOrNone) {
    boolean isNew = !carried.keySet().containsAll(fates.keySet());
    Map<TransactionId, Fate> merged = Judgments.atMost(fates, carried);
    boolean displaces = !merged.keySet().containsAll(carried.keySet());
    carried = displaces && allOrNone ? Judgments.atMost(fates, Map.of()) : merged;
    displaced |= displaces;
    return isNew && !displaced;
  }
}
