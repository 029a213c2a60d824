package io.lampone.client.core.hold;

import io.lampone.client.core.step.Gate;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.tm.SnapshotHolds.RefusedException;
import io.lampone.protocol.tm.SnapshotHolds.Terms;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Proof;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the snapshots of a client's long transactions readable (protocol page, section 7). A
 * transaction that lives longer than half the retention is covered by a hold until it ends; the
 * other half is time to get it.
 *
 * <p>One hold covers a client: it stands on the oldest of these snapshots, and what is younger is
 * above it. So a client with a thousand long transactions takes one hold, and moves it when the
 * oldest has ended: it takes the new one before it lets the old one go.
 *
 * <p>Nothing depends on it: a snapshot that is lost all the same is refused by who is read from.
 *
 * <p>Thread-safe. The transactions are in a concurrent set; everything else is guarded by this
 * object's monitor. Questions to the transaction manager are asked one after the other.
 */
public final class HoldKeeper {

  /** Younger transactions do not make a client ask how long the retention is. */
  static final Duration CURIOSITY = Duration.ofMillis(200);

  /** Between two looks at the transactions while the retention is not known, and at most. */
  private static final Duration SHORT_PAUSE = Duration.ofMillis(250);

  private static final Duration LONG_PAUSE = Duration.ofSeconds(1);

  /** Looks in a retention. */
  private static final int LOOKS_PER_RETENTION = 16;

  /** Renewals in the lifetime of a hold. */
  private static final int RENEWALS_PER_LIFETIME = 3;

  /** A hold that its client does not renew any more is in the way for at least so long. */
  private static final Duration SHORTEST_LIFETIME = Duration.ofSeconds(5);

  /** Maximum number of tables that are reported of a transaction. */
  private static final int MAX_TABLES = 8;

  /**
   * From the deadline of a transaction to the outcome of its commit, at most: what has not been
   * answered by then is given up an operation's time, or two, later. No such time is above an hour.
   */
  private static final Duration LONGEST_END = Duration.ofHours(3);

  private final SnapshotHoldsPort holds;
  private final Clock clock;
  private final Set<Ticket> open = ConcurrentHashMap.newKeySet();

  /** Latest terms of the transaction manager; null until it is asked. */
  private @Nullable Terms terms;

  /** The hold that is in force as far as is known. */
  private @Nullable Held held;

  /** Opens when the last question has been answered. */
  private Gate<Void> last = Gate.opened(Step.done());

  /** True if {@link #close} was called; never reset. */
  private boolean closed;

  /** After a failure nothing is asked before this time. */
  private long quietUntilNanos;

  private record Held(long snapshot, long renewedNanos) {}

  /** A transaction under way. */
  public static final class Ticket {
    private final long snapshot;

    /** The time of its snapshot, and of its begin. */
    private final long bornNanos;

    private final long begunNanos;

    /** Names of the tables that it has used, the first few. */
    private final Set<String> tables = new CopyOnWriteArraySet<>();

    /**
     * When it is over in any case. Set by whoever ends the transaction: when that begins, and when
     * the outcome is found to be unknown.
     */
    private volatile long deadlineNanos;

    /** True if its snapshot is below the safe point already; never reset. */
    private volatile boolean lost;

    /** Set when the outcome is unknown and no work on it is under way any more; never reset. */
    private volatile @Nullable Grant inDoubt;

    private Ticket(long snapshot, long begunNanos, long ageNanos, long deadlineNanos) {
      this.snapshot = snapshot;
      this.begunNanos = begunNanos;
      this.bornNanos = begunNanos - ageNanos;
      this.deadlineNanos = deadlineNanos;
    }

    /** Returns the time of the begin, on the monotonic clock. */
    public long begunNanos() {
      return begunNanos;
    }

    /** Returns the tables that have been used, the first few. */
    public Set<String> tables() {
      return tables;
    }

    /** Records the use of a table, for operators. */
    public void uses(String table) {
      if (tables.size() < MAX_TABLES) {
        tables.add(table);
      }
    }
  }

  public HoldKeeper(SnapshotHoldsPort holds, Clock clock) {
    this.holds = holds;
    this.clock = clock;
    this.quietUntilNanos = clock.monotonicNanos();
  }

  /**
   * A transaction begins.
   *
   * @param age of its snapshot: zero unless it reads in the past
   * @param deadlineNanos on the monotonic clock: after it the transaction is over in any case
   */
  public Ticket begun(long snapshot, Duration age, long deadlineNanos) {
    Ticket ticket = new Ticket(snapshot, clock.monotonicNanos(), age.toNanos(), deadlineNanos);
    open.add(ticket);
    return ticket;
  }

  /**
   * Returns the oldest open transactions of at least this age, as far as they fit into a report.
   */
  public List<ProgressReport.Open> olderThan(Duration age) {
    long now = clock.monotonicNanos();
    Map<Long, ProgressReport.Open> bySnapshot = new HashMap<>();
    for (Ticket ticket : open) {
      long millis = TimeUnit.NANOSECONDS.toMillis(now - ticket.begunNanos);
      if (millis >= age.toMillis() && ticket.inDoubt == null) {
        bySnapshot.merge(
            ticket.snapshot,
            new ProgressReport.Open(
                ticket.snapshot,
                (int) Math.min(Integer.MAX_VALUE, millis),
                String.join(",", ticket.tables)),
            // A scan has a ticket of its own.
            (one, other) -> one.ageMillis() >= other.ageMillis() ? one : other);
      }
    }
    return bySnapshot.values().stream()
        .sorted(Comparator.comparingInt(ProgressReport.Open::ageMillis).reversed())
        .limit(ProgressReport.MAX_OPEN)
        .toList();
  }

  /** A transaction has ended. */
  public void ended(Ticket ticket) {
    open.remove(ticket);
  }

  /**
   * The end of a transaction begins: how it ends may be known only after its deadline, and its
   * snapshot is needed until then, or longer if it is in doubt.
   */
  public synchronized void ending(Ticket ticket) {
    ticket.deadlineNanos += LONGEST_END.toNanos();
  }

  /**
   * The outcome of a transaction is unknown: its leader must not be collected before somebody had
   * the time to ask for it [M9].
   */
  public void inDoubt(Ticket ticket, Grant grant) {
    synchronized (this) {
      Duration keep = terms == null ? Duration.ofMinutes(10) : terms.retention();
      ticket.deadlineNanos = clock.monotonicNanos() + keep.toNanos();
      ticket.inDoubt = grant;
      if (!closed) {
        open.add(ticket); // a look at the transactions after its deadline has removed it
      }
    }
  }

  /**
   * The grant of a transaction of this client that has ended in doubt, for as long as it is held;
   * else no proof. One that began at this snapshot, and does not only read it.
   */
  public Proof ofDoubtful(long startTimestamp) {
    return open.stream()
        .filter(ticket -> ticket.snapshot == startTimestamp)
        .map(ticket -> (Proof) ticket.inDoubt)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(Proof.NONE);
  }

  /**
   * Takes the hold of a transaction that reads in the past, if its snapshot is old, before it
   * reads. Fails with {@link RefusedException} if the snapshot is too old; whatever else goes wrong
   * is left to the reads, which are checked.
   */
  public Step<Void> secure(Ticket ticket) {
    return enqueue(() -> knownTerms() == null ? askTerms() : Step.done())
        .next(
            asked -> {
              Terms known = knownTerms();
              return known == null || !isOld(ticket, known, clock.monotonicNanos())
                  ? Step.done()
                  : enqueue(() -> cover(ticket, known));
            })
        .recover(failure -> isTooOld(failure) ? Step.failed(failure) : Step.done());
  }

  /** Does what is due; to be run every {@link #pause}. */
  public Step<Void> sweep() {
    long now = clock.monotonicNanos();
    open.removeIf(ticket -> now - ticket.deadlineNanos >= 0);
    synchronized (this) {
      if (!last.isOpen() || now - quietUntilNanos < 0 || (open.isEmpty() && held == null)) {
        return Step.done();
      }
    }
    return due(now).map(this::enqueue).orElseGet(Step::done);
  }

  /** Returns the wait until the next {@link #sweep}. */
  public Duration pause() {
    Terms known = knownTerms();
    if (known == null) {
      return SHORT_PAUSE;
    }
    Duration part = known.retention().dividedBy(LOOKS_PER_RETENTION);
    return part.compareTo(LONG_PAUSE) < 0 ? part : LONG_PAUSE;
  }

  /** Lets the hold go, if there is one; nothing is taken any more. */
  public Step<Void> close() {
    synchronized (this) {
      closed = true;
      open.clear();
    }
    return enqueue(this::letGo);
  }

  /** Returns true if a hold is in force, as far as this client knows. */
  public synchronized boolean isHolding() {
    return held != null;
  }

  private Optional<Supplier<Step<Void>>> due(long now) {
    Terms known = knownTerms();
    if (known == null) {
      boolean curious =
          open.stream().anyMatch(ticket -> now - ticket.bornNanos >= CURIOSITY.toNanos());
      return curious ? Optional.of(this::askTerms) : Optional.empty();
    }
    Optional<Ticket> oldest =
        open.stream()
            .filter(ticket -> !ticket.lost && isOld(ticket, known, now))
            .min(Comparator.comparingLong(ticket -> ticket.snapshot));
    synchronized (this) {
      if (oldest.isEmpty()) {
        return held == null ? Optional.empty() : Optional.of(this::letGo);
      }
      Ticket ticket = oldest.get();
      if (held == null || held.snapshot() != ticket.snapshot) {
        return Optional.of(() -> take(ticket, known));
      }
      long period = lifetime(known).toNanos() / RENEWALS_PER_LIFETIME;
      return now - held.renewedNanos() < period
          ? Optional.empty()
          : Optional.of(() -> renew(ticket, known));
    }
  }

  /** As {@link #take}, unless the hold that there is covers the ticket. */
  private Step<Void> cover(Ticket ticket, Terms known) {
    synchronized (this) {
      if (held != null && held.snapshot() <= ticket.snapshot) {
        return Step.done();
      }
    }
    return take(ticket, known);
  }

  private Step<Void> take(Ticket ticket, Terms known) {
    long sentNanos = clock.monotonicNanos();
    return holds
        .hold(name(ticket.snapshot), ticket.snapshot, lifetime(known))
        .recover(
            failure -> {
              ticket.lost |= isTooOld(failure);
              return Step.failed(failure);
            })
        .then(
            told -> {
              Held before;
              synchronized (this) {
                terms = told;
                before = held;
                held = new Held(ticket.snapshot, sentNanos);
              }
              // Only now: there is no moment in which neither is in force.
              return before == null || before.snapshot() == ticket.snapshot
                  ? Step.done()
                  : holds.release(name(before.snapshot()));
            });
  }

  private Step<Void> renew(Ticket ticket, Terms known) {
    long sentNanos = clock.monotonicNanos();
    return holds
        .renew(name(ticket.snapshot), lifetime(known))
        .next(
            event -> {
              synchronized (this) {
                if (event.failure() == null) {
                  held = new Held(ticket.snapshot, sentNanos);
                } else if (event.failure() instanceof RefusedException) {
                  // Expired, or its transaction manager has died: it is taken anew.
                  held = null;
                }
              }
              return event.end();
            });
  }

  private Step<Void> letGo() {
    Held before;
    synchronized (this) {
      before = held;
      held = null;
    }
    // Should that fail, it expires.
    return before == null ? Step.done() : holds.release(name(before.snapshot()));
  }

  private Step<Void> askTerms() {
    return holds
        .terms()
        .then(
            told -> {
              synchronized (this) {
                terms = told;
              }
              return Step.done();
            });
  }

  /** Does {@code step} after what is under way; fails as it does. */
  private synchronized Step<Void> enqueue(Supplier<Step<Void>> step) {
    Gate<Void> mine = new Gate<>();
    Step<Void> before = last.passed();
    last = mine;
    return before
        .next(ready -> step.get())
        .next(
            event -> {
              if (event.failure() != null) {
                afterFailure();
              }
              mine.open(Step.done());
              return event.end();
            });
  }

  private synchronized void afterFailure() {
    quietUntilNanos = clock.monotonicNanos() + pause().toNanos();
  }

  private synchronized @Nullable Terms knownTerms() {
    return terms;
  }

  private static boolean isOld(Ticket ticket, Terms known, long now) {
    return now - ticket.bornNanos >= known.retention().toNanos() / 2;
  }

  private static Duration lifetime(Terms known) {
    Duration wanted =
        known.retention().compareTo(SHORTEST_LIFETIME) < 0 ? SHORTEST_LIFETIME : known.retention();
    return wanted.compareTo(known.longestHold()) < 0 ? wanted : known.longestHold();
  }

  private static String name(long snapshot) {
    return "snapshot-" + snapshot;
  }

  private static boolean isTooOld(Throwable failure) {
    return failure instanceof RefusedException refused && refused.isTooOld();
  }
}
