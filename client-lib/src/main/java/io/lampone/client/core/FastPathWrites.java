package io.lampone.client.core;

import io.lampone.client.core.FastPathStore.End;
import io.lampone.client.core.FastPathStore.End.Answered;
import io.lampone.client.core.failure.Attempts;
import io.lampone.client.core.failure.Failures;
import io.lampone.client.core.failure.IllegalUseException;
import io.lampone.client.core.failure.OperationUnknownException;
import io.lampone.client.core.failure.RowBlockedException;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.time.Backoff;
import io.lampone.protocol.trust.Proof;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Writes of the fast path: sends them, resolves what is in their way, repeats what may be repeated,
 * until each has an end (protocol page, section 8).
 *
 * <p>Works in rounds: all operations of a call that have no end yet go out in one batch, one
 * request for each region. An operation is applied once, however often it is sent: from the first
 * attempt whose fate is not known, it is marked as repeated, and the server looks for its id first.
 */
public final class FastPathWrites {

  /** Times that one operation is sent; the deadline comes first unless no attempt waits. */
  static final int MAX_ATTEMPTS = 1000;

  /** Operations of one call: all are in memory, and each region's go out at once. */
  public static final int MAX_OPERATIONS = 10_000;

  /** No repetition is begun with less time before it than this. */
  private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long REQUEST_BYTES = 1L << 20;
  private static final int REQUEST_ROWS = 1000;

  private final FastPathStore store;
  private final BlockerResolver blockers;
  private final OperationStatusLookup fates;
  private final Session session;
  private final RandomGenerator random;
  private final Duration patience;

  /**
   * @param patience how long a regular transaction that has not requested its commit may stand in
   *     the way before it is aborted
   */
  public FastPathWrites(
      FastPathStore store,
      BlockerResolver blockers,
      OperationStatusLookup fates,
      Session session,
      RandomGenerator random,
      Duration patience) {
    this.store = store;
    this.blockers = blockers;
    this.fates = fates;
    this.session = session;
    this.random = random;
    this.patience = patience;
  }

  /**
   * Applies operations, each by itself; never fails as a whole. Two of one row are applied in their
   * order.
   *
   * @param operations unsent; each with an id of its own
   * @return one end for each: an outcome (never BUSY), or a failure: {@link StoreRefusedException},
   *     {@link StoreUnavailableException} or {@link RowBlockedException}, and it was not applied;
   *     or {@link OperationUnknownException}
   */
  public Step<List<Step.Ended<Outcome>>> apply(
      String table, List<FastOperation> operations, long deadlineNanos) {
    if (operations.size() > MAX_OPERATIONS) {
      throw IllegalUseException.ofLimit(
          "too many operations in one call: split it, operations="
              + operations.size()
              + " limit="
              + MAX_OPERATIONS);
    }
    List<List<FastOperationInFlight>> turns = new ArrayList<>();
    Map<Bytes, Integer> turnOfRow = new HashMap<>();
    List<FastOperationInFlight> all = new ArrayList<>(operations.size());
    for (FastOperation operation : operations) {
      FastOperationInFlight one = new FastOperationInFlight(List.of(operation));
      int turn = turnOfRow.merge(operation.row(), 1, Integer::sum) - 1;
      if (turn == turns.size()) {
        turns.add(new ArrayList<>());
      }
      turns.get(turn).add(one);
      all.add(one);
    }
    return ended(takeTurns(new Call(table, deadlineNanos), turns, 0), all)
        .map(done -> all.stream().map(FastPathWrites::endOfOne).toList());
  }

  private static Step.Ended<Outcome> endOfOne(FastOperationInFlight one) {
    Throwable failure = one.end().failure();
    return failure == null ? new Step.Done<>(one.end().value().get(0)) : new Step.Failed<>(failure);
  }

  /** Applies one operation, see {@link #apply}. */
  public Step<Outcome> applyOne(String table, FastOperation operation, long deadlineNanos) {
    return applyTogether(table, List.of(operation), deadlineNanos).map(outcomes -> outcomes.get(0));
  }

  private Step<Void> takeTurns(Call call, List<List<FastOperationInFlight>> turns, int turn) {
    return turn == turns.size()
        ? Step.done()
        : run(call, turns.get(turn), 0, false).then(done -> takeTurns(call, turns, turn + 1));
  }

  /**
   * Applies operations on rows of one region together, or none. The outcomes are in their order.
   * Fails as a single one does, and with {@link IllegalArgumentException} if the rows lie in
   * several regions.
   *
   * @param operations ascending by row, each row once, all with the same id
   */
  public Step<List<Outcome>> applyTogether(
      String table, List<FastOperation> operations, long deadlineNanos) {
    FastOperationInFlight together = new FastOperationInFlight(operations);
    return ended(
            run(new Call(table, deadlineNanos), List.of(together), 0, false), List.of(together))
        .then(done -> together.end());
  }

  /** A fault in this class must not leave an operation without an end. */
  private static Step<Void> ended(Step<Void> running, List<FastOperationInFlight> all) {
    return running.recover(
        fault -> {
          for (FastOperationInFlight one : all) {
            if (one.isOpen()) {
              one.fail(new OperationUnknownException("unforeseen failure", one.firstMark(), fault));
            }
          }
          return Step.done();
        });
  }

  /** Target and deadline of a call. */
  private record Call(String table, long deadlineNanos) {}

  /** One round: what has no end yet is sent once, and what it met is dealt with. */
  private Step<Void> run(
      Call call, List<FastOperationInFlight> open, int tries, boolean locateAgain) {
    if (open.isEmpty()) {
      return Step.done();
    }
    if (open.size() == 1 && !open.get(0).isAtomic() && !locateAgain) {
      // The way of nearly every operation: HBase's client finds the region by itself.
      return send(call, List.of(open), tries);
    }
    List<FastOperationInFlight> sorted = new ArrayList<>(open);
    sorted.sort((a, b) -> a.firstRow().compareTo(b.firstRow()));
    List<Bytes> rows = new ArrayList<>();
    sorted.forEach(one -> rows.addAll(one.rows()));
    return store
        .regionsOf(call.table(), rows, locateAgain)
        .next(
            located -> {
              Throwable failure = located.failure();
              if (failure != null) {
                sorted.forEach(one -> one.notSent(Failures.asRuntime(failure)));
                return again(call, sorted, tries, located.nowNanos());
              }
              List<List<FastOperationInFlight>> requests = group(sorted, located.value());
              boolean scattered = sorted.get(0).isAtomic() && requests.size() > 1;
              if (scattered && locateAgain) {
                return end(call, sorted.get(0), acrossRegions(call.table()));
              }
              // What is known of regions may be old: a second look decides.
              return scattered ? run(call, sorted, tries, true) : send(call, requests, tries);
            });
  }

  /** The operations of each region. An atomic one is in as many groups as it has regions. */
  private static List<List<FastOperationInFlight>> group(
      List<FastOperationInFlight> sorted, List<List<Bytes>> regions) {
    if (sorted.get(0).isAtomic()) {
      return regions.stream().map(region -> sorted).toList();
    }
    Map<Bytes, FastOperationInFlight> byRow = new HashMap<>();
    sorted.forEach(one -> byRow.put(one.firstRow(), one));
    List<List<FastOperationInFlight>> groups = new ArrayList<>(regions.size());
    for (List<Bytes> region : regions) {
      List<FastOperationInFlight> group = new ArrayList<>();
      long bytes = 0;
      for (Bytes row : region) {
        FastOperationInFlight one = Objects.requireNonNull(byRow.get(row));
        long size = one.bytes();
        if (!group.isEmpty() && (bytes + size > REQUEST_BYTES || group.size() == REQUEST_ROWS)) {
          groups.add(group);
          group = new ArrayList<>();
          bytes = 0;
        }
        group.add(one);
        bytes += size;
      }
      groups.add(group);
    }
    return groups;
  }

  private Step<Void> send(Call call, List<List<FastOperationInFlight>> groups, int tries) {
    List<FastWrite> requests = new ArrayList<>(groups.size());
    for (List<FastOperationInFlight> group : groups) {
      List<FastOperation> operations = new ArrayList<>(group.size());
      group.forEach(one -> operations.addAll(one.operations()));
      boolean atomic = group.get(0).isAtomic();
      requests.add(
          new FastWrite(session.floor(), session.mark(), atomic, operations, session.shown()));
    }
    return store
        .send(call.table(), requests, call.deadlineNanos())
        .next(
            sent -> {
              List<FastOperationInFlight> open = new ArrayList<>(0);
              for (int i = 0; i < groups.size(); i++) {
                take(groups.get(i), sent.value().get(i), sent.nowNanos());
                groups.get(i).stream().filter(FastOperationInFlight::isOpen).forEach(open::add);
              }
              return open.isEmpty() ? Step.done() : again(call, open, tries, sent.nowNanos());
            });
  }

  private void take(List<FastOperationInFlight> group, End end, long nowNanos) {
    if (!(end instanceof Answered answered)) {
      group.forEach(one -> one.failed(end));
      // A session that has been idle, or that is new, takes its mark from there.
      session.heardOf(Attempts.leastMark(Attempts.failure(end)));
      return;
    }
    List<Outcome> outcomes = answered.reply().outcomes();
    session.heardOf(FastReply.highest(outcomes), answered.reply().issued());
    int next = 0;
    for (FastOperationInFlight one : group) {
      List<Outcome> mine = outcomes.subList(next, next + one.operations().size());
      next += one.operations().size();
      one.answered(mine, nowNanos);
    }
  }

  /** Ends what cannot go on, resolves what is in the way of the rest, waits, and sends it again. */
  private Step<Void> again(Call call, List<FastOperationInFlight> open, int tries, long nowNanos) {
    boolean over = tries >= MAX_ATTEMPTS || nowNanos - call.deadlineNanos() >= 0;
    List<Step<Void>> asking = new ArrayList<>(0);
    List<FastOperationInFlight> rest = new ArrayList<>(open.size());
    for (FastOperationInFlight one : open) {
      if (one.mustAsk()) {
        asking.add(ask(call, one));
      } else if (over || !one.mayRepeat()) {
        one.giveUp(call.table());
      } else {
        rest.add(one);
      }
    }
    Step<Void> asked = asking.isEmpty() ? Step.done() : Step.all(asking).then(done -> Step.done());
    if (rest.isEmpty()) {
      return asked;
    }
    boolean elsewhere = rest.stream().anyMatch(FastOperationInFlight::maybeElsewhere);
    return asked
        .next(
            done -> {
              Throwable failure = done.failure();
              return failure == null
                  ? clear(call, rest, done.nowNanos())
                  : Step.<Boolean>failed(failure);
            })
        .then(cleared -> cleared ? Step.done() : Step.pause(Backoff.CALLS.delay(tries, random)))
        .next(
            waited ->
                waited.failure() != null
                    ? waited.end()
                    : run(call, withTime(call, rest, waited.nowNanos()), tries + 1, elsewhere));
  }

  /**
   * Keeps only operations in doubt if too little time is left. An attempt cut off by the deadline
   * has no outcome; operations known not to be applied end so, and with their reason.
   */
  private static List<FastOperationInFlight> withTime(
      Call call, List<FastOperationInFlight> rest, long nowNanos) {
    if (call.deadlineNanos() - nowNanos >= LEAST_NANOS) {
      return rest;
    }
    List<FastOperationInFlight> inDoubt =
        rest.stream().filter(FastOperationInFlight::isInDoubt).toList();
    rest.stream().filter(one -> !one.isInDoubt()).forEach(one -> one.giveUp(call.table()));
    return inDoubt;
  }

  /** Gets intents out of the way; gives whether nothing remains to be waited for. */
  private Step<Boolean> clear(Call call, List<FastOperationInFlight> rest, long nowNanos) {
    String table = call.table();
    Map<TransactionId, FastOperationInFlight> met = new LinkedHashMap<>();
    rest.forEach(one -> one.blocker(table).ifPresent(i -> met.putIfAbsent(i.id(), one)));
    boolean othersWait =
        rest.stream().anyMatch(one -> one.blocker(table).isEmpty() && !one.goesAtOnce());
    List<Step<Boolean>> clearing = new ArrayList<>(met.size());
    met.values()
        .forEach(
            one ->
                clearing.add(
                    blockers
                        .clear(
                            one.blocker(table).orElseThrow(),
                            session.floor(),
                            one.blockedForNanos(nowNanos) < patience.toNanos())
                        // Not reachable now: the next round meets the same intent again.
                        .recover(failure -> Step.done(false))));
    return Step.all(clearing).map(cleared -> !othersWait && !cleared.contains(false));
  }

  /**
   * Returns the first operation that leaves its id in its row; one that only checks leaves none. If
   * there is no such operation, nothing can have been applied, and any row tells so.
   */
  private static FastOperation firstThatWrites(List<FastOperation> operations) {
    return operations.stream()
        .filter(operation -> !operation.mutations().isEmpty())
        .findFirst()
        .orElse(operations.get(0));
  }

  /** Some attempt may still be on its way, and no further one would tell: the row is asked. */
  private Step<Void> ask(Call call, FastOperationInFlight one) {
    FastOperation first = firstThatWrites(one.operations());
    return fates
        .find(
            call.table(),
            first.row(),
            first.id(),
            first.firstMark(),
            Proof.NONE,
            call.deadlineNanos())
        .next(
            found -> {
              Throwable failure = found.failure();
              if (failure != null) {
                one.fail(
                    new OperationUnknownException(
                        "no answer tells whether it was applied", first.firstMark(), failure));
              } else if (found.value().applied()) {
                one.complete(
                    one.operations().stream()
                        .map(
                            o ->
                                Outcome.of(
                                    FastReply.Kind.APPLIED_BEFORE, found.value().timestamp()))
                        .toList());
              } else if (first.firstMark() < found.value().timestamp()) {
                // Below the safe point its cells may have been collected: not found proves nothing.
                one.fail(
                    new OperationUnknownException(
                        "it may have been applied, and its cells collected",
                        first.firstMark(),
                        null));
              } else {
                one.notApplied(call.table());
              }
              return Step.done();
            });
  }

  private Step<Void> end(Call call, FastOperationInFlight one, RuntimeException failure) {
    one.refuse(failure);
    if (one.mustAsk()) {
      return ask(call, one);
    }
    one.giveUp(call.table());
    return Step.done();
  }

  private static RuntimeException acrossRegions(String table) {
    return new IllegalArgumentException(
        "rows that are to be changed together lie in several regions: use a regular transaction,"
            + " table="
            + table);
  }
}
