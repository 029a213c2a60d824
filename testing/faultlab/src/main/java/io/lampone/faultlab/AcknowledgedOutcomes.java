package io.lampone.faultlab;

import io.lampone.checker.History;
import io.lampone.checker.HistoryTransaction;
import io.lampone.checker.Outcome;
import io.lampone.client.TransactionOutcome;
import io.lampone.client.TransactionOutcome.Committed;
import io.lampone.client.TransactionOutcome.Running;
import io.lampone.client.TransactionOutcome.TooOld;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * Check that the product still says of acknowledged commits, asked by their ids, what it has told
 * their clients.
 *
 * @param mayForget true if a part of them may be older than the retention
 */
record AcknowledgedOutcomes(boolean mayForget) {

  /** Maximum number of commits that are asked for. */
  static final int MOST = 200;

  /** The product's answer. */
  interface Product {
    TransactionOutcome outcome(String id) throws IOException;
  }

  /** Returns a sample of the acknowledged commits with an id. */
  static List<HistoryTransaction> sample(History history, Random random) {
    List<HistoryTransaction> all =
        new ArrayList<>(
            history.transactions().stream()
                .filter(each -> each.outcome() == Outcome.OK)
                .filter(each -> !each.fastPath() && each.commitTimestamp() != 0)
                .filter(each -> !each.id().isEmpty())
                .toList());
    Collections.shuffle(all, random);
    return all.subList(0, Math.min(MOST, all.size()));
  }

  /** Returns the answers that contradict the acknowledgments. */
  List<String> contradictions(List<HistoryTransaction> sample, Product product) throws IOException {
    List<String> found = new ArrayList<>();
    for (HistoryTransaction told : sample) {
      contradiction(told, product.outcome(told.id())).ifPresent(found::add);
    }
    return found;
  }

  private Optional<String> contradiction(HistoryTransaction told, TransactionOutcome now) {
    boolean isSame =
        now instanceof Committed committed
            // A version below the safe point may have lost its timestamp.
            && (mayForget || committed.commitTimestamp() == told.commitTimestamp());
    // Running: the leader was collected, and the manager remembers an assigned timestamp only.
    boolean isForgotten = now instanceof TooOld || now instanceof Running;
    return isSame || mayForget && isForgotten
        ? Optional.empty()
        : Optional.of("acknowledged, and now " + now + ": " + told.describe());
  }
}
