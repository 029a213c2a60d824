package io.lampone.faultlab.work;

import io.lampone.checker.History;
import io.lampone.checker.HistoryTransaction;
import io.lampone.checker.Operation;
import io.lampone.checker.Outcome;
import io.lampone.client.TransactionOptions;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Workload that fills one of two rows if both are empty: by gets, or, every second time, if a scan
 * of their group finds nothing. Serializable transactions would fill one at most; snapshot
 * isolation allows both, because neither transaction writes the row of the other.
 */
final class WriteSkewWorkload implements LabWorkload {

  private final AtomicLong pair = new AtomicLong();

  @Override
  public void step(LabClientSession session) {
    TransactionOptions options = OptionChoice.any(session.random());
    session.transaction(options, steps -> run(session, steps));
  }

  private void run(LabClientSession session, Steps steps) throws IOException {
    long now = pair.get();
    boolean scans = now % 2 == 0;
    long one = HistoryCells.lone(2 * now, 0);
    long other = scans ? ListKeys.below(one) : HistoryCells.lone(2 * now + 1, 0);
    Map<Long, List<Long>> seen =
        scans ? steps.scanGroup(2 * now) : steps.readAll(List.of(one, other));
    boolean isEmpty = seen.values().stream().allMatch(List::isEmpty);
    if (isEmpty) {
      steps.write(session.random().nextBoolean() ? one : other, session.stamps().value(0));
    } else {
      pair.compareAndSet(now, now + 1);
    }
  }

  /**
   * Returns the number of pairs that were filled twice, each time by a transaction that found both
   * empty.
   */
  static String note(History history) {
    Map<Long, Integer> filled = new HashMap<>();
    for (HistoryTransaction transaction : history.transactions()) {
      if (transaction.outcome() == Outcome.OK) {
        for (Operation operation : transaction.operations()) {
          if (operation instanceof Operation.Write) {
            long number = Long.parseLong(operation.key()) / (2 * HistoryCells.GROUP);
            filled.merge(number, 1, Integer::sum);
          }
        }
      }
    }
    long skews = filled.values().stream().filter(writers -> writers > 1).count();
    return "write skews, which snapshot isolation allows: "
        + skews
        + " of "
        + filled.size()
        + " pairs";
  }
}
