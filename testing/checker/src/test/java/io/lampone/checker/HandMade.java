package io.lampone.checker;

import java.util.ArrayList;
import java.util.List;

/** A history written down by hand: each line is a transaction from its invocation to its end. */
final class HandMade {

  private final String workload;
  private final List<HistoryTransaction> transactions = new ArrayList<>();
  private String level = "";

  private HandMade(String workload) {
    this.workload = workload;
  }

  static HandMade lists() {
    return new HandMade(History.Header.LIST_APPEND);
  }

  static HandMade registers() {
    return new HandMade(History.Header.REGISTER);
  }

  /** The conflict levels of the tables. */
  HandMade level(String levels) {
    level = levels;
    return this;
  }

  static Operation read(String key, long... elements) {
    List<Long> list = new ArrayList<>();
    for (long element : elements) {
      list.add(element);
    }
    return new Operation.Read(key, list);
  }

  static Operation append(String key, long element) {
    return new Operation.Append(key, element);
  }

  static Operation write(String key, long value) {
    return new Operation.Write(key, value);
  }

  /** Acknowledged; begins at its start timestamp and ends at its commit timestamp, if it writes. */
  HandMade ok(int process, long start, long commit, Operation... operations) {
    return at(process, start, Math.max(start, commit), start, commit, operations);
  }

  /** Adds an acknowledged transaction with explicit times. */
  HandMade at(
      int process, long invoke, long complete, long start, long commit, Operation... operations) {
    return add(
        new HistoryTransaction(
            transactions.size(),
            process,
            invoke,
            complete,
            Outcome.OK,
            List.of(operations),
            "",
            start,
            commit,
            false,
            false,
            List.of(),
            HistoryTransaction.Freshness.STRICT,
            HistoryTransaction.NO_SESSION));
  }

  /** The same as {@link #ok}, serializable. */
  HandMade serializable(int process, long start, long commit, Operation... operations) {
    ok(process, start, commit, operations);
    int last = transactions.size() - 1;
    transactions.set(last, transactions.get(last).asSerializable());
    return this;
  }

  /** The last one has this freshness. */
  HandMade fresh(HistoryTransaction.Freshness freshness) {
    int last = transactions.size() - 1;
    transactions.set(last, transactions.get(last).withFreshness(freshness));
    return this;
  }

  /** The last one has scanned these ranges besides. */
  HandMade scanning(KeyRange... ranges) {
    int last = transactions.size() - 1;
    transactions.set(last, transactions.get(last).scanning(List.of(ranges)));
    return this;
  }

  /** The last one was done by this client. */
  HandMade ofClient(int client) {
    int last = transactions.size() - 1;
    transactions.set(last, transactions.get(last).inSession(client));
    return this;
  }

  HandMade fast(int process, long time, long commit, Operation... operations) {
    return fastAt(process, time, time, commit, operations);
  }

  /** The same with explicit times. */
  HandMade fastAt(int process, long invoke, long complete, long commit, Operation... operations) {
    return add(
        new HistoryTransaction(
            transactions.size(),
            process,
            invoke,
            complete,
            Outcome.OK,
            List.of(operations),
            "",
            0,
            commit,
            true,
            false,
            List.of(),
            HistoryTransaction.Freshness.STRICT,
            HistoryTransaction.NO_SESSION));
  }

  HandMade failed(int process, long time, Operation... operations) {
    return ended(process, time, time, Outcome.FAILED, false, operations);
  }

  /** The same; it has read at this snapshot, 0 for none. */
  HandMade failedAt(int process, long time, long start, Operation... operations) {
    failed(process, time, operations);
    int last = transactions.size() - 1;
    transactions.set(last, transactions.get(last).resolved(false, start, 0));
    return this;
  }

  HandMade unknown(int process, long time, Operation... operations) {
    return ended(process, time, HistoryTransaction.NEVER, Outcome.UNKNOWN, false, operations);
  }

  HandMade unknownFast(int process, long time, Operation... operations) {
    return ended(process, time, HistoryTransaction.NEVER, Outcome.UNKNOWN, true, operations);
  }

  private HandMade ended(
      int process,
      long invoke,
      long complete,
      Outcome outcome,
      boolean fast,
      Operation... operations) {
    return add(
        new HistoryTransaction(
            transactions.size(),
            process,
            invoke,
            complete,
            outcome,
            List.of(operations),
            "",
            0,
            0,
            fast,
            false,
            List.of(),
            HistoryTransaction.Freshness.STRICT,
            HistoryTransaction.NO_SESSION));
  }

  private HandMade add(HistoryTransaction transaction) {
    transactions.add(transaction);
    return this;
  }

  History history() {
    return new History(
        new History.Header(workload, "strong-si", 0, 0, "", "", level), transactions, 0);
  }

  Verdict judge() {
    return SnapshotIsolationChecker.check(history());
  }

  /** Returns the kinds of all anomalies, each once, in the order in which they were found. */
  List<AnomalyKind> kinds() {
    return judge().anomalies().stream().map(Anomaly::kind).distinct().toList();
  }
}
