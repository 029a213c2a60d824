package io.lampone.checker;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Generator of allowed histories with any share of unknown outcomes: a store with snapshot
 * isolation, on two servers with separate clocks for the fast path; some transactions are
 * serializable. A transaction lost by its client commits some time later, or never.
 */
final class UnknownOutcomes {

  private static final int TICK = 256;
  private static final int SERVERS = 2;
  private static final int PROCESSES = 4;

  private final Random random;
  private final boolean lists;
  private final int keys;
  private final int unknownPercent;
  private final Map<String, List<Version>> store = new HashMap<>();
  private final long[] localClocks = new long[SERVERS];
  private final Map<Integer, Long> marks = new HashMap<>();
  private final List<HistoryTransaction> done = new ArrayList<>();
  private final List<Open> late = new ArrayList<>();
  private long clock = TICK;
  private long now;
  private long element;
  private int nextProcess;

  private record Version(long commit, List<Long> value) {}

  /** A regular transaction under way. */
  private static final class Open {
    private final int process;
    private final long invoke;
    private final long start;
    private final boolean serializable;
    private final List<Operation> operations = new ArrayList<>();
    private final Map<String, List<Long>> view = new HashMap<>();
    private final Map<String, List<Long>> writes = new LinkedHashMap<>();

    Open(int process, long invoke, long start, boolean serializable) {
      this.process = process;
      this.invoke = invoke;
      this.start = start;
      this.serializable = serializable;
    }
  }

  UnknownOutcomes(long seed) {
    this.random = new Random(seed);
    this.lists = random.nextBoolean();
    this.keys = 2 + random.nextInt(5);
    this.unknownPercent = 10 + random.nextInt(60);
  }

  History run(int transactions) {
    List<Open> open = new ArrayList<>();
    while (nextProcess < PROCESSES) {
      open.add(begin(nextProcess++));
    }
    while (done.size() < transactions) {
      now++;
      int slot = random.nextInt(PROCESSES);
      switch (random.nextInt(5)) {
        case 0, 1 -> step(open.get(slot));
        case 2 -> {
          int process = end(open.get(slot));
          while (random.nextInt(3) == 0) {
            process = fast(process);
          }
          open.set(slot, begin(process));
        }
        case 3 -> {
          if (!late.isEmpty()) {
            commit(late.remove(random.nextInt(late.size())));
          }
        }
        default -> clock += (long) TICK * random.nextInt(3);
      }
    }
    String workload = lists ? History.Header.LIST_APPEND : History.Header.REGISTER;
    return new History(new History.Header(workload, "strong-si", 0, 0), done, 0);
  }

  private Open begin(int process) {
    long invoke = ++now;
    clock += TICK;
    return new Open(process, invoke, clock, random.nextBoolean());
  }

  private String anyKey() {
    return "k" + random.nextInt(keys);
  }

  private int server(String key) {
    return key.charAt(1) % SERVERS;
  }

  private void step(Open transaction) {
    String key = anyKey();
    boolean blind = !lists && random.nextBoolean();
    if (!blind) {
      List<Long> seen = transaction.view.computeIfAbsent(key, k -> read(k, transaction.start));
      transaction.operations.add(new Operation.Read(key, List.copyOf(seen)));
    }
    if (random.nextInt(3) > 0) {
      List<Long> next = new ArrayList<>(lists ? transaction.view.get(key) : List.of());
      next.add(++element);
      transaction.view.put(key, next);
      transaction.writes.put(key, next);
      transaction.operations.add(write(key, element));
    }
  }

  private Operation write(String key, long value) {
    return lists ? new Operation.Append(key, value) : new Operation.Write(key, value);
  }

  /** A reader here above the clock raises the clock. */
  private List<Long> read(String key, long snapshot) {
    localClocks[server(key)] = Math.max(localClocks[server(key)], snapshot);
    List<Version> versions = store.getOrDefault(key, List.of());
    for (int i = versions.size() - 1; i >= 0; i--) {
      if (versions.get(i).commit() < snapshot) {
        return versions.get(i).value();
      }
    }
    return List.of();
  }

  private int end(Open transaction) {
    if (random.nextInt(100) < unknownPercent) {
      if (random.nextInt(4) > 0) {
        late.add(transaction);
      }
      add(transaction, Outcome.UNKNOWN, 0);
      return nextProcess++;
    }
    long commit = commit(transaction);
    add(transaction, commit < 0 ? Outcome.FAILED : Outcome.OK, Math.max(0, commit));
    return transaction.process;
  }

  /** Returns the commit timestamp; 0 if nothing is written, -1 on a conflict. */
  private long commit(Open transaction) {
    if (transaction.writes.isEmpty()) {
      return 0;
    }
    Set<String> checked =
        transaction.serializable ? transaction.view.keySet() : transaction.writes.keySet();
    for (String key : checked) {
      for (Version version : store.getOrDefault(key, List.of())) {
        if (version.commit() >= transaction.start) {
          return -1;
        }
      }
    }
    clock += TICK;
    if (transaction.serializable) {
      // No version below the commit is added any more where it has read.
      checked.forEach(key -> read(key, clock));
    }
    transaction.writes.forEach((key, value) -> put(key, clock, value));
    return clock;
  }

  private void put(String key, long commit, List<Long> value) {
    localClocks[server(key)] = Math.max(localClocks[server(key)], commit);
    store.computeIfAbsent(key, k -> new ArrayList<>()).add(new Version(commit, value));
  }

  private void add(Open transaction, Outcome outcome, long commit) {
    boolean ok = outcome == Outcome.OK;
    if (ok) {
      marks.merge(transaction.process, Math.max(transaction.start, commit), Math::max);
    }
    add(
        transaction.process,
        transaction.invoke,
        outcome,
        ok ? transaction.operations : writesOnly(transaction.operations),
        ok ? transaction.start : 0,
        commit,
        false);
    if (transaction.serializable) {
      done.set(done.size() - 1, done.get(done.size() - 1).asSerializable());
    }
  }

  private void add(
      int process,
      long invoke,
      Outcome outcome,
      List<Operation> operations,
      long start,
      long commit,
      boolean fast) {
    long complete = outcome == Outcome.UNKNOWN ? HistoryTransaction.NEVER : ++now;
    done.add(
        new HistoryTransaction(
            done.size(),
            process,
            invoke,
            complete,
            outcome,
            operations,
            "",
            start,
            commit,
            fast,
            false,
            List.of(),
            HistoryTransaction.Freshness.STRICT,
            HistoryTransaction.NO_SESSION));
  }

  /** A read, or a write on the condition that the version read is the newest. */
  private int fast(int process) {
    long invoke = ++now;
    String key = anyKey();
    int server = server(key);
    localClocks[server] = Math.max(localClocks[server], marks.getOrDefault(process, 0L));
    List<Long> newest = newest(key);
    Operation read = new Operation.Read(key, newest);
    if (random.nextBoolean()) {
      String other = anyKey();
      boolean isOneRow = server(other) == server && !other.equals(key);
      List<Operation> reads =
          isOneRow ? List.of(read, new Operation.Read(other, newest(other))) : List.of(read);
      reads.forEach(each -> marks.merge(process, newestCommit(each.key()), Math::max));
      add(process, invoke, Outcome.OK, reads, 0, 0, true);
      return process;
    }
    long version = localClocks[server] + 1;
    List<Long> next = new ArrayList<>(lists ? newest : List.of());
    next.add(++element);
    Operation write = write(key, element);
    boolean unknown = random.nextInt(100) < unknownPercent;
    if (!unknown || random.nextBoolean()) {
      put(key, version, next);
    }
    if (unknown) {
      add(process, invoke, Outcome.UNKNOWN, List.of(write), 0, 0, true);
      return nextProcess++;
    }
    marks.merge(process, version, Math::max);
    add(process, invoke, Outcome.OK, List.of(read, write), 0, version, true);
    return process;
  }

  private List<Long> newest(String key) {
    List<Version> versions = store.getOrDefault(key, List.of());
    return versions.isEmpty() ? List.of() : List.copyOf(versions.get(versions.size() - 1).value());
  }

  private long newestCommit(String key) {
    List<Version> versions = store.getOrDefault(key, List.of());
    return versions.isEmpty() ? 0 : versions.get(versions.size() - 1).commit();
  }

  private static List<Operation> writesOnly(List<Operation> operations) {
    return operations.stream().filter(each -> !(each instanceof Operation.Read)).toList();
  }
}
