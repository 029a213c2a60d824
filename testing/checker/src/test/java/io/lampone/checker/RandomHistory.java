package io.lampone.checker;

import io.lampone.checker.HistoryTransaction.Freshness;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * A store with snapshot isolation in a few lines, and clients that use it at random, some of them
 * by serializable transactions: every resulting history is allowed. With a fault planted it is not.
 */
final class RandomHistory {

  enum Fault {
    NONE,
    /** Two writers of one key may both commit. */
    NO_CONFLICT_CHECK,
    /** Data read by a serializable transaction may be overwritten before it commits. */
    NO_READ_CHECK,
    /**
     * Keys that a serializable transaction has scanned as absent may be written before it commits.
     */
    NO_RANGE_CHECK,
    /** Sometimes a reader misses the newest version of a key. */
    STALE_READS,
    /** Sometimes a write of a commit is lost on one key. */
    HALF_COMMITS,
    /** Sometimes a failed transaction's write stays. */
    ABORTED_WRITES,
    /** Sometimes a snapshot is an old one. */
    OLD_SNAPSHOTS,
    /** A SESSION snapshot may lie below what its process has done. */
    OLD_SESSIONS,
    /** A LATEST transaction shows the state at the time of each read. */
    TORN_LATEST
  }

  private static final int TICK = 256;
  private static final int SERIALIZABLE_IN = 3;
  private static final int SCANS_IN = 6;
  private static final int SESSION_IN = 6;
  private static final int LATEST_IN = 6;
  private static final int SESSION_TICKS = 40;

  private final Random random;
  private final boolean lists;
  private final Fault fault;
  private final Map<String, List<Version>> store = new HashMap<>();
  private final List<HistoryTransaction> done = new ArrayList<>();

  /** Highest timestamp that each process knows. */
  private final Map<Integer, Long> marks = new HashMap<>();

  private long clock = TICK;
  private long element = 1;
  private int nextProcess;

  private record Version(long commit, List<Long> value) {}

  /** A transaction under way. */
  private static final class Open {
    private final int process;
    private final long start;
    private final long invoke;
    private final boolean serializable;
    private final Freshness freshness;
    private final List<Operation> operations = new ArrayList<>();
    private final Map<String, List<Long>> view = new HashMap<>();
    private final Map<String, List<Long>> writes = new HashMap<>();
    private final List<KeyRange> scans = new ArrayList<>();

    /** Keys that no scan has shown. */
    private final Set<String> absent = new TreeSet<>();

    Open(int process, long start, long invoke, boolean serializable, Freshness freshness) {
      this.process = process;
      this.start = start;
      this.invoke = invoke;
      this.serializable = serializable;
      this.freshness = freshness;
    }
  }

  RandomHistory(long seed, boolean lists, Fault fault) {
    this.random = new Random(seed);
    this.lists = lists;
    this.fault = fault;
  }

  History run(int transactions, int processes, int keys) {
    List<Open> open = new ArrayList<>();
    for (nextProcess = 0; nextProcess < processes; nextProcess++) {
      open.add(begin(nextProcess));
    }
    while (done.size() < transactions) {
      int slot = random.nextInt(open.size());
      Open transaction = open.get(slot);
      if (random.nextInt(SCANS_IN) == 0) {
        int first = random.nextInt(keys);
        scan(transaction, first, first + random.nextInt(keys - first));
      } else if (random.nextInt(4) > 0) {
        step(transaction, Integer.toString(random.nextInt(keys)));
      } else {
        open.set(slot, begin(end(transaction)));
      }
    }
    String workload = lists ? History.Header.LIST_APPEND : History.Header.REGISTER;
    return new History(new History.Header(workload, "strong-si", 0, 0), done, 0);
  }

  private Open begin(int process) {
    clock += TICK;
    long start = clock;
    if (fault == Fault.OLD_SNAPSHOTS && random.nextInt(10) == 0) {
      start = Math.max(TICK, start - 40L * TICK);
    }
    Freshness freshness =
        random.nextInt(SESSION_IN) == 0
            ? Freshness.SESSION
            : random.nextInt(LATEST_IN) == 0 ? Freshness.LATEST : Freshness.STRICT;
    if (freshness == Freshness.SESSION) {
      long mark = fault == Fault.OLD_SESSIONS ? 0 : marks.getOrDefault(process, 0L);
      start = Math.max(mark + 1, start - random.nextInt(SESSION_TICKS) * (long) TICK);
    }
    boolean serializable = freshness == Freshness.STRICT && random.nextInt(SERIALIZABLE_IN) == 0;
    return new Open(process, start, clock, serializable, freshness);
  }

  private void step(Open transaction, String key) {
    boolean isLatest = transaction.freshness == Freshness.LATEST;
    long at = isLatest && fault == Fault.TORN_LATEST ? clock + 1 : transaction.start;
    List<Long> seen = transaction.view.computeIfAbsent(key, k -> snapshot(k, at));
    if (random.nextBoolean() || lists || isLatest) {
      transaction.operations.add(new Operation.Read(key, List.copyOf(seen)));
    }
    if (random.nextBoolean() && !isLatest) {
      long value = element++;
      List<Long> next = lists ? new ArrayList<>(seen) : new ArrayList<>();
      next.add(value);
      transaction.view.put(key, next);
      transaction.writes.put(key, next);
      transaction.operations.add(
          lists ? new Operation.Append(key, value) : new Operation.Write(key, value));
    }
  }

  /** Reads only keys that exist. */
  private void scan(Open transaction, int first, int last) {
    for (int i = first; i <= last; i++) {
      String key = Integer.toString(i);
      List<Long> seen = transaction.view.getOrDefault(key, snapshot(key, transaction.start));
      if (seen.isEmpty()) {
        transaction.absent.add(key);
      } else {
        transaction.view.put(key, seen);
        transaction.operations.add(new Operation.Read(key, List.copyOf(seen)));
      }
    }
    transaction.scans.add(new KeyRange(Integer.toString(first), Integer.toString(last)));
  }

  private List<Long> snapshot(String key, long start) {
    List<Version> versions = store.getOrDefault(key, List.of());
    int newest = versions.size() - 1;
    while (newest >= 0 && versions.get(newest).commit() >= start) {
      newest--;
    }
    if (fault == Fault.STALE_READS && random.nextInt(50) == 0) {
      newest--;
    }
    return newest < 0 ? List.of() : versions.get(newest).value();
  }

  /** Ends a transaction; returns the process that continues after it. */
  private int end(Open transaction) {
    clock += TICK;
    long commit = transaction.writes.isEmpty() ? 0 : clock;
    boolean checksReads = transaction.serializable && fault != Fault.NO_READ_CHECK;
    Set<String> checked = new TreeSet<>(transaction.writes.keySet());
    if (checksReads) {
      checked.addAll(transaction.view.keySet());
    }
    if (checksReads && fault != Fault.NO_RANGE_CHECK) {
      checked.addAll(transaction.absent);
    }
    boolean conflict = commit != 0 && checked.stream().anyMatch(key -> conflicts(transaction, key));
    boolean commits = !conflict || fault == Fault.NO_CONFLICT_CHECK;
    boolean keepsWrites = commits || fault == Fault.ABORTED_WRITES && random.nextInt(5) == 0;
    if (keepsWrites) {
      boolean half = fault == Fault.HALF_COMMITS && random.nextInt(10) == 0;
      transaction.writes.forEach(
          (key, value) -> {
            if (!half || random.nextBoolean()) {
              store.computeIfAbsent(key, k -> new ArrayList<>()).add(new Version(clock, value));
            }
          });
    }
    boolean unknown = random.nextInt(20) == 0;
    done.add(
        new HistoryTransaction(
            done.size(),
            transaction.process,
            transaction.invoke,
            unknown ? HistoryTransaction.NEVER : clock,
            unknown ? Outcome.UNKNOWN : commits ? Outcome.OK : Outcome.FAILED,
            unknown || !commits ? writesOnly(transaction.operations) : transaction.operations,
            "t" + done.size(),
            unknown || !commits || transaction.freshness == Freshness.LATEST
                ? 0
                : transaction.start,
            unknown || !commits ? 0 : commit,
            false,
            transaction.serializable,
            unknown || !commits ? List.of() : transaction.scans,
            transaction.freshness,
            HistoryTransaction.NO_SESSION));
    if (!unknown && commits) {
      marks.merge(transaction.process, Math.max(transaction.start, commit), Math::max);
    }
    return unknown ? nextProcess++ : transaction.process;
  }

  private boolean conflicts(Open transaction, String key) {
    return store.getOrDefault(key, List.of()).stream()
        .anyMatch(version -> version.commit() >= transaction.start);
  }

  private static List<Operation> writesOnly(List<Operation> operations) {
    return operations.stream().filter(each -> !(each instanceof Operation.Read)).toList();
  }
}
