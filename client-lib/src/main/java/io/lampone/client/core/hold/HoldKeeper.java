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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the snapshots of a client's long transactions readable (protocol page, section 7). A
 * transaction that is open for longer than half the retention is covered by a hold until it ends;
 * the other half is the time to acquire it.
 *
 * <p>One hold covers a client: it is at the oldest of these snapshots, and younger ones are above
 * it. So a client with a thousand long transactions has one hold, and moves it when the oldest
 * transaction has ended: it acquires the new one before it releases the old one.
 *
 * <p>Correctness does not depend on it: the server of a read refuses a lost snapshot.
 *
 * <p>Thread-safe. The transactions are in a concurrent set; everything else is guarded by this
 * object's monitor. Requests to the transaction manager are sent one after the other.
 */
public final class HoldKeeper {

  /** Snapshot of a transaction that has none. */
  public static final long NO_SNAPSHOT = 0;

  /** Age from which on a transaction makes a client request the retention. */
  static final Duration CURIOSITY = Duration.ofMillis(200);

  /** Pause between two sweeps while the retention is unknown, and the maximum. */
  private static final Duration SHORT_PAUSE = Duration.ofMillis(250);

  private static final Duration LONG_PAUSE = Duration.ofSeconds(1);

  /** Sweeps in a retention. */
  private static final int LOOKS_PER_RETENTION = 16;

  /** Renewals in the lifetime of a hold. */
  private static final int RENEWALS_PER_LIFETIME = 3;

  /** Minimum lifetime of a hold, for which an abandoned one delays the safe point. */
  private static final Duration SHORTEST_LIFETIME = Duration.ofSeconds(5);

  private final SnapshotHoldsPort holds;
  private final Clock clock;
  private final Set<HoldTicket> open = ConcurrentHashMap.newKeySet();

  /** Latest terms of the transaction manager; null until the first reply. */
  private @Nullable Terms terms;

  /** Hold in force, to this client's knowledge. */
  private @Nullable Held held;

  /** Opens when the last request has its reply. */
  private Gate<Void> last = Gate.opened(Step.done());

  /** True if {@link #close} was called; never reset. */
  private boolean closed;

  /** Time before which nothing is requested, after a failure. */
  private long quietUntilNanos;

  private record Held(long snapshot, long renewedNanos) {}

  public HoldKeeper(SnapshotHoldsPort holds, Clock clock) {
    this.holds = holds;
    this.clock = clock;
    this.quietUntilNanos = clock.monotonicNanos();
  }

  /**
   * Adds a transaction that begins.
   *
   * @param snapshot {@link #NO_SNAPSHOT} if it has none
   * @param age age of its snapshot: zero unless it reads in the past
   * @param deadlineNanos on the monotonic clock: the time after which the transaction is over in
   *     any case
   */
  public HoldTicket begun(long snapshot, Duration age, long deadlineNanos) {
    HoldTicket ticket =
        new HoldTicket(snapshot, clock.monotonicNanos(), age.toNanos(), deadlineNanos);
    open.add(ticket);
    return ticket;
  }

  /**
   * Returns the oldest open transactions of at least this age, as far as they fit into a report.
   */
  public List<ProgressReport.Open> olderThan(Duration age) {
    long now = clock.monotonicNanos();
    Map<Long, ProgressReport.Open> bySnapshot = new HashMap<>();
    for (HoldTicket ticket : open) {
      if (now - ticket.begunNanos() >= age.toNanos() && ticket.isRunning()) {
        // A scan has a separate ticket.
        bySnapshot.merge(
            ticket.snapshot(),
            ticket.report(now),
            (one, other) -> one.ageMillis() >= other.ageMillis() ? one : other);
      }
    }
    return bySnapshot.values().stream()
        .sorted(Comparator.comparingInt(ProgressReport.Open::ageMillis).reversed())
        .limit(ProgressReport.MAX_OPEN)
        .toList();
  }

  /** Removes a transaction that has ended. */
  public void ended(HoldTicket ticket) {
    open.remove(ticket);
  }

  /**
   * Records that the end of a transaction begins: its outcome may be known only after its deadline,
   * and its snapshot is needed until then, or longer if it is in doubt.
   */
  public synchronized void ending(HoldTicket ticket) {
    ticket.ends();
  }

  /**
   * Records that the outcome of a transaction is unknown: its leader must not be collected before
   * there was time to look it up [M9].
   */
  public void inDoubt(HoldTicket ticket, Grant grant) {
    synchronized (this) {
      Duration keep = terms == null ? Duration.ofMinutes(10) : terms.retention();
      ticket.isInDoubtUntil(clock.monotonicNanos() + keep.toNanos(), grant);
      if (!closed) {
        open.add(ticket); // a sweep after its deadline has removed it
      }
    }
  }

  /**
   * Returns the grant of a transaction of this client that has ended in doubt, for as long as it is
   * held; else no proof. Only for a transaction that began at this snapshot, not for readers of it.
   */
  public Proof ofDoubtful(long startTimestamp) {
    return open.stream()
        .filter(ticket -> ticket.snapshot() == startTimestamp)
        .map(ticket -> (Proof) ticket.inDoubt())
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(Proof.NONE);
  }

  /**
   * Acquires the hold of a transaction that reads in the past, if its snapshot is old, before it
   * reads. Fails with {@link RefusedException} if the snapshot is too old; other failures are left
   * to the reads, which are checked.
   */
  public Step<Void> secure(HoldTicket ticket) {
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

  /** Does the due work; must run every {@link #pause}. */
  public Step<Void> sweep() {
    long now = clock.monotonicNanos();
    open.removeIf(ticket -> ticket.isOver(now));
    synchronized (this) {
      if (!last.isOpen() || now - quietUntilNanos < 0 || (open.isEmpty() && held == null)) {
        return Step.done();
      }
    }
    return due(now).isEmpty() ? Step.done() : enqueue(this::doDue);
  }

  /** Performs what is due at its turn: a snapshot may have been secured since the sweep looked. */
  private Step<Void> doDue() {
    return due(clock.monotonicNanos()).map(Supplier::get).orElseGet(Step::done);
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

  /** Releases the hold, if there is one; acquires none afterwards. */
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
          open.stream().anyMatch(ticket -> ticket.ageNanos(now) >= CURIOSITY.toNanos());
      return curious ? Optional.of(this::askTerms) : Optional.empty();
    }
    Optional<HoldTicket> oldest =
        open.stream()
            .filter(HoldTicket::isHoldable)
            .filter(ticket -> isOld(ticket, known, now))
            .min(Comparator.comparingLong(HoldTicket::snapshot));
    synchronized (this) {
      if (oldest.isEmpty()) {
        return held == null ? Optional.empty() : Optional.of(this::letGo);
      }
      HoldTicket ticket = oldest.get();
      if (held == null || held.snapshot() != ticket.snapshot()) {
        return Optional.of(() -> take(ticket, known));
      }
      long period = lifetime(known).toNanos() / RENEWALS_PER_LIFETIME;
      return now - held.renewedNanos() < period
          ? Optional.empty()
          : Optional.of(() -> renew(ticket, known));
    }
  }

  /** Acquires a hold, as {@link #take} does, unless the existing one covers the ticket. */
  private Step<Void> cover(HoldTicket ticket, Terms known) {
    synchronized (this) {
      if (held != null && held.snapshot() <= ticket.snapshot()) {
        return Step.done();
      }
    }
    return take(ticket, known);
  }

  private Step<Void> take(HoldTicket ticket, Terms known) {
    long sentNanos = clock.monotonicNanos();
    return holds
        .hold(name(ticket.snapshot()), ticket.snapshot(), lifetime(known))
        .recover(
            failure -> {
              if (isTooOld(failure)) {
                ticket.loses();
              }
              return Step.failed(failure);
            })
        .then(
            told -> {
              Held before;
              synchronized (this) {
                terms = told;
                before = held;
                held = new Held(ticket.snapshot(), sentNanos);
              }
              // Only now, so that one of them is in force at any time.
              return before == null || before.snapshot() == ticket.snapshot()
                  ? Step.done()
                  : holds.release(name(before.snapshot()));
            });
  }

  private Step<Void> renew(HoldTicket ticket, Terms known) {
    long sentNanos = clock.monotonicNanos();
    return holds
        .renew(name(ticket.snapshot()), lifetime(known))
        .next(
            event -> {
              synchronized (this) {
                if (event.failure() == null) {
                  held = new Held(ticket.snapshot(), sentNanos);
                } else if (event.failure() instanceof RefusedException) {
                  // Expired, or its transaction manager has died: acquired again.
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
    // If the release fails, the hold expires.
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

  /** Executes {@code step} after the running one; fails as it does. */
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

  private static boolean isOld(HoldTicket ticket, Terms known, long now) {
    return ticket.ageNanos(now) >= known.retention().toNanos() / 2;
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
