package io.lampone.client.core.progress;

import io.lampone.client.core.step.Step;
import io.lampone.protocol.tm.HotRow;
import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.tm.StartBlock;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.TransactionManagerException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * Reports this client's progress to the transaction manager (ADR 89): every 10 ms, with the ended
 * commits, while transactions begin with freshness SESSION; and once a second, with the oldest open
 * transactions, the hot rows (ADR 92) and the work done, while there are transactions older than a
 * second, have lately been conflicts, or work has been done. Otherwise nothing is sent.
 *
 * <p>A lost report is harmless: after a while the watermark passes unreported commits, and work is
 * reported again.
 *
 * <p>Thread-safe.
 */
public final class ProgressReporter {

  /** Period of reports while start timestamps are needed: LeanXcale's (paper 000, 4.2). */
  static final Duration PERIOD = Duration.ofMillis(10);

  /** Period in which a demand for start timestamps, or a long transaction, is noticed. */
  static final Duration IDLE_PERIOD = Duration.ofMillis(100);

  /** Time after the last demand until which start timestamps are requested. */
  static final Duration IN_USE = Duration.ofSeconds(1);

  /** Period of the lists of open transactions, and age from which on they are listed. */
  public static final Duration LISTING_PERIOD = Duration.ofSeconds(1);

  /** Pause after a transaction manager that does not support reports. */
  private static final Duration INCOMPATIBLE_PAUSE = Duration.ofSeconds(30);

  /** Maximum number of ended commits that wait for a report; further ones are not reported. */
  private static final int MAX_WAITING = 10 * ProgressReport.MAX_ENDED;

  private final ProgressPort manager;
  private final Supplier<List<ProgressReport.Open>> open;
  private final LongFunction<List<HotRow>> hotRows;
  private final Supplier<SortedMap<Integer, Long>> work;
  private final StartBlocks blocks = new StartBlocks();
  private final Queue<Long> ended = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicBoolean underWay = new AtomicBoolean();

  /** Time of the last demand for a start timestamp; meaningless until there was one. */
  private volatile long demandedNanos;

  private volatile boolean demanded;

  /** True if the last report had a reply while start timestamps were in demand. */
  private volatile boolean active;

  // used by the running report only
  private long listedNanos;
  private boolean listed;
  private boolean lastListWasEmpty = true;
  private boolean lastRowsWereEmpty = true;
  private SortedMap<Integer, Long> reportedWork = new TreeMap<>();
  private long quietUntilNanos;
  private boolean quiet;

  /**
   * @param open returns the oldest open transactions that are older than {@link #LISTING_PERIOD}
   * @param hotRows returns the rows with conflicts lately, given the monotonic time
   * @param work returns all counts of work, by the indexes of {@code ClientWork}
   */
  public ProgressReporter(
      ProgressPort manager,
      Supplier<List<ProgressReport.Open>> open,
      LongFunction<List<HotRow>> hotRows,
      Supplier<SortedMap<Integer, Long>> work) {
    this.work = work;
    this.manager = manager;
    this.open = open;
    this.hotRows = hotRows;
  }

  /**
   * Returns the begin of a transaction without a call, on a snapshot above {@code mark}; empty if
   * there is none now.
   */
  public Optional<Begin> take(long mark, long nowNanos) {
    demandedNanos = nowNanos;
    demanded = true;
    return blocks.take(mark, nowNanos);
  }

  /** Returns true if the ends of commits are reported at present. */
  public boolean isActive() {
    return active;
  }

  /** Reports with the next report that a transaction has been decided on its leader. */
  public void ended(long commitTimestamp) {
    if (waiting.incrementAndGet() > MAX_WAITING) {
      waiting.decrementAndGet();
    } else {
      ended.add(commitTimestamp);
    }
  }

  /** Returns the time until the next {@link #report} is due. */
  public Duration pause() {
    return active ? PERIOD : IDLE_PERIOD;
  }

  /** Sends a report if one is due; never fails. */
  public Step<Void> report() {
    return Step.begin(
        begun ->
            underWay.compareAndSet(false, true)
                ? Step.begin(event -> due(event.nowNanos()))
                    .next(
                        event -> {
                          underWay.set(false);
                          return Step.done();
                        })
                : Step.done());
  }

  private Step<Void> due(long now) {
    boolean inUse = demanded && now - demandedNanos < IN_USE.toNanos();
    boolean isQuiet = quiet && now - quietUntilNanos < 0;
    Listing listing = isQuiet ? Listing.NONE : listing(now);
    if (isQuiet || !inUse && listing.isEmpty()) {
      active &= inUse;
      return Step.done();
    }
    ProgressReport report =
        new ProgressReport(
            inUse ? blocks.wanted() : 0,
            takeEnded(),
            listing.open(),
            listing.hotRows(),
            listing.newWork(),
            Optional.empty());
    return manager
        .progress(report)
        .next(
            event -> {
              Throwable failure = event.failure();
              if (failure == null) {
                listing.work().ifPresent(reported -> reportedWork = reported);
                answered(event.value(), inUse, now);
              } else {
                failed(failure, event.nowNanos());
              }
              return Step.done();
            });
  }

  private void answered(StartBlock block, boolean inUse, long requestedNanos) {
    quiet = false;
    active = inUse;
    blocks.offer(block, requestedNanos);
  }

  private void failed(Throwable failure, long now) {
    active = false;
    blocks.clear();
    lastListWasEmpty = false; // an empty list is sent again
    lastRowsWereEmpty = false;
    boolean incompatible =
        failure instanceof TransactionManagerException known
            && known.kind() == TransactionManagerException.Kind.INCOMPATIBLE;
    quiet = true;
    quietUntilNanos = now + (incompatible ? INCOMPATIBLE_PAUSE : LISTING_PERIOD).toNanos();
  }

  /**
   * Lists of a report; empty if they are as before.
   *
   * @param newWork counts since the last report
   * @param work all counts; empty if they were not read
   */
  private record Listing(
      Optional<List<ProgressReport.Open>> open,
      Optional<List<HotRow>> hotRows,
      SortedMap<Integer, Integer> newWork,
      Optional<SortedMap<Integer, Long>> work) {

    static final Listing NONE =
        new Listing(Optional.empty(), Optional.empty(), new TreeMap<>(), Optional.empty());

    boolean isEmpty() {
      return open.isEmpty() && hotRows.isEmpty() && newWork.isEmpty();
    }
  }

  /** Returns the lists that are due. */
  private Listing listing(long now) {
    if (listed && now - listedNanos < LISTING_PERIOD.toNanos()) {
      return Listing.NONE;
    }
    listed = true;
    listedNanos = now;
    List<ProgressReport.Open> list = open.get();
    boolean wasEmpty = lastListWasEmpty;
    lastListWasEmpty = list.isEmpty();
    List<HotRow> rows = hotRows.apply(now);
    SortedMap<Integer, Long> counts = work.get();
    boolean rowsWereEmpty = lastRowsWereEmpty;
    lastRowsWereEmpty = rows.isEmpty();
    return new Listing(
        wasEmpty && list.isEmpty() ? Optional.empty() : Optional.of(list),
        rowsWereEmpty && rows.isEmpty() ? Optional.empty() : Optional.of(rows),
        newWork(counts),
        Optional.of(counts));
  }

  private SortedMap<Integer, Integer> newWork(SortedMap<Integer, Long> counts) {
    SortedMap<Integer, Integer> added = new TreeMap<>();
    counts.forEach(
        (index, count) -> {
          long more = count - reportedWork.getOrDefault(index, 0L);
          if (more > 0) {
            added.put(index, (int) Math.min(Integer.MAX_VALUE, more));
          }
        });
    return added;
  }

  private long[] takeEnded() {
    List<Long> taken = new ArrayList<>();
    for (Long each = ended.poll(); each != null; each = ended.poll()) {
      taken.add(each);
      if (taken.size() == ProgressReport.MAX_ENDED) {
        break;
      }
    }
    waiting.addAndGet(-taken.size());
    return taken.stream().mapToLong(Long::longValue).toArray();
  }
}
