package io.lampone.coprocessor.healer;

import io.lampone.coprocessor.core.healing.Settlement;
import io.lampone.hbase.RefusalException;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.RareLine;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Resolves transactions for readers that may not access their leaders (protocol page, section 5),
 * and writes the outcome where the readers have met the intents. It works on dedicated threads,
 * which end when idle: a reader retries until its row is decided.
 */
public final class Resolver implements AutoCloseable {

  /** Maximum number of waiting rows; a further one is left for the reader's next attempt. */
  static final int MAX_WAITING = 10_000;

  /** Maximum number of waiting rows per user. */
  static final int MAX_WAITING_OF_USER = 256;

  /** Time for which a corrupt commit entry is reported to readers without a new look-up. */
  static final Duration CORRUPT_FOR = Duration.ofSeconds(5);

  /** Maximum number of transactions that are remembered as corrupt. */
  private static final int MAX_CORRUPT = 1_000;

  private static final int THREADS = 16;

  /** Maximum number of threads for one user: a call takes as long as the leader's row is locked. */
  static final int THREADS_OF_USER = 8;

  private static final long IDLE_SECONDS = 60;

  private static final Logger LOG = LoggerFactory.getLogger(Resolver.class);

  private final Settlement settlement;
  private final LongSupplier over;
  private final Clock clock;
  private final RareLine fullLine;
  private final RareLine failureLine;
  private final ThreadPoolExecutor threads;

  /** Transactions that wait or are in progress. Guarded by this. */
  private final Map<TransactionId, Task> tasks = new HashMap<>();

  /** Transactions to begin with, by user; the next user is the first. Guarded by this. */
  private final Map<String, Set<TransactionId>> queues = new LinkedHashMap<>();

  /** Transactions in progress, by the user for whom each was begun. Guarded by this. */
  private final Map<TransactionId, String> begun = new HashMap<>();

  /** Waiting rows by user; none of them 0. Guarded by this. */
  private final Map<String, Integer> ofUser = new HashMap<>();

  /** Sum of {@link #ofUser}. Guarded by this. */
  private int waiting;

  /**
   * Monotonic time at which the leader's server reported a leader as corrupt; oldest first. Guarded
   * by this.
   */
  private final Map<TransactionId, Long> corrupt = new LinkedHashMap<>();

  /** Answer to a reader. */
  public enum Answer {
    /** The row waits, or is in progress. */
    WAITS,
    /** Too many rows wait: retry later. */
    FULL,
    /** The leader is corrupt, which only an administrator can change. */
    CORRUPT
  }

  /** Places of a transaction, and the users whose requests found it. */
  private record Task(Set<RowFamily> places, Map<String, Integer> users) {}

  /**
   * @param over see {@link Settlement#resolve}
   */
  Resolver(Settlement settlement, LongSupplier over, Clock clock) {
    this.settlement = settlement;
    this.over = over;
    this.clock = clock;
    this.fullLine = new RareLine(clock);
    this.failureLine = new RareLine(clock);
    this.threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, "lampone-resolver");
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  /**
   * Resolves an intent asynchronously.
   *
   * @param id as the stored intent names it
   * @param met where it is stored
   */
  public Answer ask(String user, TransactionId id, RowFamily met) {
    synchronized (this) {
      if (isCorrupt(id)) {
        return Answer.CORRUPT;
      }
      Task known = tasks.get(id);
      if (known != null && known.places().contains(met) && known.users().containsKey(user)) {
        return Answer.WAITS;
      }
      if (waiting >= MAX_WAITING || ofUser.getOrDefault(user, 0) >= MAX_WAITING_OF_USER) {
        tellFull(user);
        return Answer.FULL;
      }
      waiting++;
      ofUser.merge(user, 1, Integer::sum);
      Task task = known == null ? new Task(new TreeSet<>(), new HashMap<>()) : known;
      task.places().add(met);
      tasks.put(id, task);
      if (task.users().merge(user, 1, Integer::sum) == 1) {
        queues.computeIfAbsent(user, u -> new LinkedHashSet<>()).add(id);
        begin();
      }
    }
    return Answer.WAITS;
  }

  /** Begins with as many transactions as threads are free; users take turns. */
  private synchronized void begin() {
    Iterator<Map.Entry<String, Set<TransactionId>>> users = queues.entrySet().iterator();
    while (users.hasNext() && begun.size() < THREADS && !threads.isShutdown()) {
      Map.Entry<String, Set<TransactionId>> next = users.next();
      String user = next.getKey();
      if (Collections.frequency(begun.values(), user) >= THREADS_OF_USER) {
        continue;
      }
      Set<TransactionId> queue = next.getValue();
      TransactionId id = queue.iterator().next();
      queue.remove(id);
      users.remove();
      if (!queue.isEmpty()) {
        queues.put(user, queue);
      }
      // Another user may have asked for it, too.
      if (begun.putIfAbsent(id, user) == null) {
        threads.execute(() -> resolve(id));
      }
      users = queues.entrySet().iterator();
    }
  }

  private boolean isCorrupt(TransactionId id) {
    Long since = corrupt.get(id);
    if (since == null) {
      return false;
    }
    if (clock.monotonicNanos() - since < CORRUPT_FOR.toNanos()) {
      return true;
    }
    corrupt.remove(id);
    return false;
  }

  private synchronized void rememberCorrupt(TransactionId id) {
    corrupt.remove(id);
    corrupt.put(id, clock.monotonicNanos());
    if (corrupt.size() > MAX_CORRUPT) {
      corrupt.remove(corrupt.keySet().iterator().next());
    }
  }

  /** Returns the rows that wait or are in progress. */
  synchronized int waiting() {
    return waiting;
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }

  private void resolve(TransactionId id) {
    Set<RowFamily> places = places(id);
    try {
      settlement.resolve(id, places, over.getAsLong());
    } catch (IOException | RuntimeException e) {
      if (RefusalException.in(e).filter(r -> r.code() == Refusal.Code.CORRUPT).isPresent()) {
        rememberCorrupt(id);
      }
      failureLine
          .happened()
          .ifPresent(
              times ->
                  LOG.warn(
                      "The fate of a transaction could not be found out for a reader, which asks"
                          + " again, transaction={} times={}",
                      id.startTimestamp(),
                      times,
                      e));
    } finally {
      ended(id);
    }
  }

  private synchronized Set<RowFamily> places(TransactionId id) {
    return new TreeSet<>(Objects.requireNonNull(tasks.get(id)).places());
  }

  private synchronized void ended(TransactionId id) {
    Task task = Objects.requireNonNull(tasks.remove(id));
    begun.remove(id);
    task.users()
        .forEach(
            (user, rows) -> {
              waiting -= rows;
              ofUser.computeIfPresent(user, (u, all) -> all.equals(rows) ? null : all - rows);
              queues.computeIfPresent(
                  user, (u, all) -> all.remove(id) && all.isEmpty() ? null : all);
            });
    begin();
  }

  private void tellFull(String user) {
    fullLine
        .happened()
        .ifPresent(
            times ->
                LOG.warn(
                    "Too many readers wait for the fates of transactions, user={} times={}",
                    user,
                    times));
  }
}
