package io.lampone.client.core.vote;

import io.lampone.client.ConflictException.Kind;
import io.lampone.client.core.CommitOutcome.Conflict;
import io.lampone.client.core.TransactionManagerPort;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictKeys;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Tag;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/**
 * Reserves what the transactions of this client write, while they run (ADR 96): the first updater
 * wins, and a transaction that cannot pass any more ends before it has written its intents. New
 * hashes are sent every 5 ms, or 64 writes at a time, and renewed while the transaction runs.
 *
 * <p>Reservations are hints: whatever is lost, late or refused, the validation decides.
 *
 * <p>Thread-safe.
 */
public final class Reserver {

  /** Period of {@link #send}. */
  public static final Duration PERIOD = Duration.ofMillis(5);

  /** Time after which a reservation is renewed; a manager keeps it for a second. */
  static final Duration RENEWAL = Duration.ofMillis(400);

  /** Number of writes in a request; each has at most two hashes to check and two to record. */
  static final int BATCH = 64;

  /** Requests of one transaction; what it writes beyond them is not reserved. */
  static final int MAX_BATCHES = 16;

  /** Maximum number of requests under way; no more are sent. */
  private static final int MAX_UNDER_WAY = 1_000;

  /** Pause after a transaction manager that does not support reservations. */
  private static final Duration INCOMPATIBLE_PAUSE = Duration.ofSeconds(30);

  private static final Validator.Assignment UNASSIGNED = new Validator.Assignment(0, 0, Tag.NONE);

  /** Reserves nothing. */
  public static final Reserver NONE = new Reserver();

  private final Optional<TransactionManagerPort> manager;
  private final Supplier<BucketMap> map;
  private final Supplier<Step<BucketMap>> refresh;

  /** By start timestamp, so that a run of the simulator can be repeated. */
  private final NavigableMap<Long, Reservation> open = new ConcurrentSkipListMap<>();

  private final AtomicInteger underWay = new AtomicInteger();
  private volatile boolean quiet;
  private volatile long quietUntilNanos;

  private Reserver() {
    this.manager = Optional.empty();
    this.map = () -> BucketMap.OF_PRIMARY;
    this.refresh = () -> Step.done(BucketMap.OF_PRIMARY);
  }

  /**
   * @param map returns the owners of the buckets as last received
   * @param refresh fetches them
   */
  public Reserver(
      TransactionManagerPort manager, Supplier<BucketMap> map, Supplier<Step<BucketMap>> refresh) {
    this.manager = Optional.of(manager);
    this.map = map;
    this.refresh = refresh;
  }

  /**
   * Returns the reservations of a transaction that begins.
   *
   * @param deadlineNanos on the monotonic clock: nothing is renewed after it
   * @param insists whether the transaction goes on although another one holds what it writes: a
   *     client might hold that for good
   * @param loser ends the transaction because of a conflict
   */
  public Reservation begun(
      Begin begin, long deadlineNanos, boolean insists, Function<Conflict, Step<Void>> loser) {
    return new Reservation(begin, deadlineNanos, insists, loser);
  }

  /** Sends what is due; never fails. */
  public Step<Void> send() {
    return Step.begin(
        event -> {
          long now = event.nowNanos();
          List<Step<Void>> due = new ArrayList<>();
          open.values().forEach(each -> each.collect(now, due));
          return together(due);
        });
  }

  private static Step<Void> together(List<Step<Void>> machines) {
    return machines.isEmpty() ? Step.done() : Step.together(machines).next(event -> Step.done());
  }

  /** A row, or a cell or family, that has been written. */
  private record Written(RowFamily place, Bytes qualifier, boolean wholeFamily) {}

  /** Writes of one request. */
  private static final class Batch {

    private final ConflictKeys keys = new ConflictKeys();
    private int writes;
    private boolean sent;
    private long sentNanos;
    private int moves;
  }

  /** Reservations of one transaction. */
  public final class Reservation {

    private final Begin begin;
    private final long deadlineNanos;
    private final boolean insists;
    private final Function<Conflict, Step<Void>> loser;

    // The following are guarded by this object's monitor; batches do not change once they are sent.
    private final Set<Written> written = new HashSet<>();
    private final List<Batch> batches = new ArrayList<>();
    private boolean ended;
    private boolean releases;

    private Reservation(
        Begin begin, long deadlineNanos, boolean insists, Function<Conflict, Step<Void>> loser) {
      this.begin = begin;
      this.deadlineNanos = deadlineNanos;
      this.insists = insists;
      this.loser = loser;
    }

    /** Adds a write. Returns true if there are enough of them to {@link #send} them at once. */
    public boolean wrote(ConflictLevel level, RowFamily place, IntentKind kind, Bytes qualifier) {
      return manager.isPresent() && add(level, place, kind, qualifier);
    }

    private synchronized boolean add(
        ConflictLevel level, RowFamily place, IntentKind kind, Bytes qualifier) {
      boolean byRow = level == ConflictLevel.ROW;
      Written write =
          new Written(
              byRow ? new RowFamily(place.table(), place.row(), Bytes.EMPTY) : place,
              byRow ? Bytes.EMPTY : qualifier,
              !byRow && kind == IntentKind.DELETE_FAMILY);
      boolean fresh = batches.isEmpty() || last().sent || last().writes == BATCH;
      if (ended || fresh && batches.size() == MAX_BATCHES || !written.add(write)) {
        return false;
      }
      if (fresh) {
        batches.add(new Batch());
      }
      last().keys.add(level, place, kind, qualifier);
      last().writes++;
      open.put(begin.startTimestamp(), this);
      return last().writes == BATCH;
    }

    private Batch last() {
      return batches.get(batches.size() - 1);
    }

    /**
     * Reserves nothing more.
     *
     * @param release whether reservations are left: no validation has ended them
     */
    public void ended(boolean release) {
      if (manager.isPresent()) {
        end(release);
      }
    }

    private synchronized void end(boolean release) {
      ended = true;
      releases = release;
      if (!release) {
        open.remove(begin.startTimestamp());
      }
    }

    private synchronized void collect(long now, List<Step<Void>> due) {
      boolean silent = quiet && now - quietUntilNanos < 0;
      if (ended || now - deadlineNanos > 0) {
        open.remove(begin.startTimestamp());
        for (Batch batch : batches) {
          if (batch.sent && releases && !silent) {
            due.add(ask(this, batch, true));
          }
        }
        return;
      }
      for (Batch batch : batches) {
        if (!silent && (!batch.sent || now - batch.sentNanos >= RENEWAL.toNanos())) {
          batch.sent = true;
          batch.sentNanos = now;
          due.add(ask(this, batch, false));
        }
      }
    }

    /** Lets a batch be sent again. */
    private synchronized void again(Batch batch) {
      batch.moves++;
      if (batch.moves < VoteCollector.MAX_MAPS) {
        batch.sentNanos -= RENEWAL.toNanos();
      }
    }
  }

  /** Asks all owners of the hashes of a batch. */
  private Step<Void> ask(Reservation of, Batch batch, boolean release) {
    Ballot ballot = new Ballot(map.get(), of.begin.startTimestamp(), batch.keys);
    List<Step<Void>> asked = new ArrayList<>();
    Validator.Request atPrimary =
        request(of, ballot.checkAtPrimary(), ballot.recordAtPrimary(), ballot.mapVersion());
    if (atPrimary.check().length + atPrimary.record().length > 0) {
      asked.add(ask(of, batch, Optional.empty(), atPrimary, release, ballot::positionOfCheck));
    }
    for (Ballot.Request each : ballot.requests(UNASSIGNED)) {
      asked.add(
          ask(
              of,
              batch,
              Optional.of(each.validator()),
              request(of, each.vote().check(), each.vote().record(), 0),
              release,
              index -> each.checks()[index]));
    }
    return together(asked);
  }

  private static Validator.Request request(
      Reservation of, long[] check, long[] record, long mapVersion) {
    return new Validator.Request(
        of.begin.startTimestamp(),
        of.begin.grant(),
        false,
        check,
        record,
        new Validator.Terms(false, false, mapVersion));
  }

  private Step<Void> ask(
      Reservation of,
      Batch batch,
      Optional<BucketMap.Node> at,
      Validator.Request request,
      boolean release,
      IntUnaryOperator position) {
    if (underWay.get() >= MAX_UNDER_WAY) {
      return Step.done();
    }
    underWay.incrementAndGet();
    return manager
        .orElseThrow()
        .reserve(at, request, release)
        .next(
            event -> {
              underWay.decrementAndGet();
              Throwable failure = event.failure();
              if (failure != null) {
                failed(failure, event.nowNanos());
                // The validator may be gone; the primary is found by the client of the manager.
                return at.isPresent() ? again(of, batch) : Step.done();
              }
              Validation answer = event.value();
              boolean goesOn = of.insists && answer instanceof Validation.Held;
              if (release || goesOn || answer instanceof Validation.Voted) {
                return Step.done();
              }
              if (answer instanceof Validation.Conflict conflict) {
                return of.loser.apply(
                    new Conflict(
                        batch.keys.placeOfCheck(position.applyAsInt(conflict.checkIndex())),
                        conflict.winnerCommitTimestamp()));
              }
              if (answer instanceof Validation.Held other) {
                return of.loser.apply(
                    new Conflict(
                        batch.keys.placeOfCheck(position.applyAsInt(other.checkIndex())),
                        0,
                        Kind.HELD));
              }
              return again(of, batch);
            });
  }

  /** Lets a batch be sent again after the map has been fetched. */
  private Step<Void> again(Reservation of, Batch batch) {
    return refresh
        .get()
        .next(
            fetched -> {
              of.again(batch);
              return Step.done();
            });
  }

  /** Sends nothing for a while to a transaction manager that does not know reservations. */
  private void failed(Throwable failure, long nowNanos) {
    if (failure instanceof TransactionManagerException known
        && known.kind() == TransactionManagerException.Kind.INCOMPATIBLE) {
      quietUntilNanos = nowNanos + INCOMPATIBLE_PAUSE.toNanos();
      quiet = true;
    }
  }
}
