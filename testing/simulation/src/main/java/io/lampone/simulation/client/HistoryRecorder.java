package io.lampone.simulation.client;

import io.lampone.checker.History;
import io.lampone.checker.HistoryTransaction;
import io.lampone.checker.KeyRange;
import io.lampone.checker.Operation;
import io.lampone.checker.Outcome;
import io.lampone.protocol.OperationId;
import io.lampone.simulation.invariant.Commits;
import io.lampone.simulation.world.World;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Records what clients saw, for the checker of histories. */
public final class HistoryRecorder {

  private final World world;
  private final List<Entry> entries = new ArrayList<>();

  /** By process: the client whose memory it shares. Those of others know nothing. */
  private final Map<Integer, Integer> sessions = new HashMap<>();

  private int processes;
  private long elements;

  public HistoryRecorder(World world) {
    this.world = world;
  }

  /**
   * One end.
   *
   * @param seen the client's view
   * @param id identity in the store
   * @param endedNanos time of the record
   * @param why cause of a failure or of an unknown outcome
   * @param last true if everything had been healed and all other processes had ended
   */
  record Entry(
      HistoryTransaction seen, OperationId id, long endedNanos, String why, boolean last) {}

  /** Returns the number of a new sequential process. */
  int newProcess() {
    return processes++;
  }

  /** Returns the number of the first process of a client, or of one that has lost its memory. */
  int newSession() {
    int process = newProcess();
    sessions.put(process, process);
    return process;
  }

  /** Returns the number of a process that shares the memory of another one. */
  int sibling(int process) {
    int next = newProcess();
    sessions.put(next, session(process));
    return next;
  }

  private int session(int process) {
    return sessions.getOrDefault(process, HistoryTransaction.NO_SESSION);
  }

  /** Returns an unused element. */
  long newElement() {
    return ++elements;
  }

  public int count() {
    return entries.size();
  }

  public long count(Outcome outcome) {
    return entries.stream().filter(each -> each.seen().outcome() == outcome).count();
  }

  /**
   * Writes down an end.
   *
   * @param id of the transaction or operation; NONE if it never had one
   * @param start 0 for an operation of the fast path
   * @param why it failed, or is unknown
   */
  void add(
      HistoryProcess who,
      Outcome outcome,
      List<Operation> operations,
      OperationId id,
      long start,
      long commit,
      String why) {
    HistoryTransaction done =
        new HistoryTransaction(
            entries.size(),
            who.process(),
            who.invokedNanos(),
            outcome == Outcome.UNKNOWN ? HistoryTransaction.NEVER : world.nowNanos(),
            outcome,
            operations,
            name(id),
            start,
            commit,
            who.fast(),
            who.serializable(),
            outcome == Outcome.OK ? who.scans() : List.of(),
            HistoryTransaction.Freshness.STRICT,
            session(who.process()));
    entries.add(new Entry(done, id, world.nowNanos(), why, who.last()));
  }

  private static String name(OperationId id) {
    if (id.equals(OperationId.NONE)) {
      return "";
    }
    return id.isTransaction()
        ? Long.toString(id.counter())
        : "fast:" + Long.toHexString(id.client()) + "-" + id.counter();
  }

  /**
   * Process of an operation, and the operation's begin.
   *
   * @param fast true for the fast path
   * @param last true if everything has been healed and every other process has ended
   * @param serializable true for a serializable transaction
   * @param scans the ranges that it has scanned
   */
  record HistoryProcess(
      int process,
      long invokedNanos,
      boolean fast,
      boolean last,
      boolean serializable,
      List<KeyRange> scans) {

    HistoryProcess(int process, long invokedNanos, boolean fast) {
      this(process, invokedNanos, fast, false);
    }

    HistoryProcess(int process, long invokedNanos, boolean fast, boolean last) {
      this(process, invokedNanos, fast, last, false, List.of());
    }

    /** Of a regular transaction that may write. */
    HistoryProcess(int process, long invokedNanos, boolean serializable, List<KeyRange> scans) {
      this(process, invokedNanos, false, false, serializable, scans);
    }
  }

  /** All ends, in their order. */
  List<Entry> entries() {
    return entries;
  }

  /**
   * Returns the history for the checker. Outcomes unknown to clients are looked up, so that the
   * checker need not guess them.
   */
  public History history(History.Header header, Commits commits) {
    List<HistoryTransaction> resolved = new ArrayList<>();
    for (Entry entry : entries) {
      HistoryTransaction one = entry.seen();
      Optional<Long> commit = commits.commitOf(entry.id());
      boolean unknown = one.outcome() == Outcome.UNKNOWN;
      resolved.add(
          unknown
              ? new HistoryTransaction(
                  one.number(),
                  one.process(),
                  one.invokeNanos(),
                  one.completeNanos(),
                  commit.isPresent() ? Outcome.UNKNOWN : Outcome.FAILED,
                  one.operations(),
                  one.id(),
                  one.startTimestamp(),
                  commit.orElse(0L),
                  one.fastPath(),
                  one.serializable(),
                  List.of(),
                  HistoryTransaction.Freshness.STRICT,
                  one.session())
              : one);
    }
    return new History(header, resolved, 0);
  }
}
