package io.lampone.torture.work;

import io.lampone.client.TransactionOptions;
import io.lampone.history.History;
import io.lampone.history.HistoryTransaction;
import io.lampone.history.Operation;
import io.lampone.history.Outcome;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whoever finds both of two rows empty fills one of them. Serializable transactions would fill one
 * at most; snapshot isolation allows both, because nobody writes what the other one writes.
 */
final class WriteSkewWorkload implements Workload {

  private final AtomicLong pair = new AtomicLong();

  @Override
  public void step(ClientSession session) {
    TransactionOptions options = Options.any(session.random());
    session.transaction(options, steps -> run(session, steps));
  }

  private void run(ClientSession session, Steps steps) throws IOException {
    long now = pair.get();
    long one = Cells.lone(2 * now, 0);
    long other = Cells.lone(2 * now + 1, 0);
    boolean isEmpty = steps.readAll(List.of(one, other)).values().stream().allMatch(List::isEmpty);
    if (isEmpty) {
      steps.write(session.random().nextBoolean() ? one : other, session.stamps().value(0));
    } else {
      pair.compareAndSet(now, now + 1);
    }
  }

  /** How many pairs were filled twice by who had found both empty. */
  static String note(History history) {
    Map<Long, Integer> filled = new HashMap<>();
    for (HistoryTransaction transaction : history.transactions()) {
      if (transaction.outcome() == Outcome.OK) {
        for (Operation operation : transaction.operations()) {
          if (operation instanceof Operation.Write) {
            long number = Long.parseLong(operation.key()) / (2 * Cells.GROUP);
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
