package io.lampone.client.core;

import io.lampone.client.core.FastPathStore.End;
import io.lampone.client.core.FastPathStore.End.Answered;
import io.lampone.client.core.failure.Failures;
import io.lampone.client.core.failure.IllegalUseException;
import io.lampone.client.core.failure.OperationUnknownException;
import io.lampone.client.core.failure.RowBlockedException;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.time.Backoff;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.trust.Proof;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
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

  /** Times that one operation is sent; the deadline comes first unless nobody ever waits. */
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
  private final Waits waits;
  private final Duration patience;

  /** Time and chance. */
  public record Waits(Clock clock, Timer timer, RandomGenerator random) {}

  /**
   * @param patience how long a regular transaction that has not requested its commit may stand in
   *     the way before it is aborted
   */
  public FastPathWrites(
      FastPathStore store,
      BlockerResolver blockers,
      OperationStatusLookup fates,
      Session session,
      Waits waits,
      Duration patience) {
    this.store = store;
    this.blockers = blockers;
    this.fates = fates;
    this.session = session;
    this.waits = waits;
    this.patience = patience;
  }

  /**
   * Applies operations, each by itself; never fails as a whole. Two of one row are applied in their
   * order.
   *
   * @param operations unsent; of each the id is used by nobody else
   * @return one future for each: an outcome (never BUSY), or a failure: {@link
   *     StoreRefusedException}, {@link StoreUnavailableException} or {@link RowBlockedException},
   *     and it was not applied; or {@link OperationUnknownException}
   */
  public List<CompletableFuture<Outcome>> apply(
      String table, List<FastOperation> operations, long deadlineNanos) {
    if (operations.size() > MAX_OPERATIONS) {
      throw IllegalUseException.ofLimit(
          "too many operations in one call: split it, operations="
              + operations.size()
              + " limit="
              + MAX_OPERATIONS);
    }
    if (operations.size() == 1) {
      return List.of(applyAlone(new Call(table, deadlineNanos), operations));
    }
    List<List<FastOperationInFlight>> turns = new ArrayList<>();
    Map<Bytes, Integer> turnOfRow = new HashMap<>();
    List<CompletableFuture<Outcome>> ends = new ArrayList<>(operations.size());
    for (FastOperation operation : operations) {
      FastOperationInFlight one = new FastOperationInFlight(List.of(operation));
      int turn = turnOfRow.merge(operation.row(), 1, Integer::sum) - 1;
      if (turn == turns.size()) {
        turns.add(new ArrayList<>());
      }
      turns.get(turn).add(one);
      ends.add(one.end().thenApply(outcomes -> outcomes.get(0)));
    }
    CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
    for (List<FastOperationInFlight> turn : turns) {
      done = done.thenCompose(before -> run(new Call(table, deadlineNanos), turn, 0, false));
    }
    // A fault in this class must not leave anybody waiting.
    CompletableFuture<Void> all = done;
    turns.forEach(
        turn ->
            turn.forEach(
                one ->
                    all.whenComplete(
                        (ended, fault) -> {
                          if (fault != null) {
                            one.fail(unforeseen(one, fault));
                          }
                        })));
    return ends;
  }

  private CompletableFuture<Outcome> applyAlone(Call call, List<FastOperation> operation) {
    FastOperationInFlight alone = new FastOperationInFlight(operation);
    start(call, alone);
    return alone.end().thenApply(outcomes -> outcomes.get(0));
  }

  /**
   * Applies operations on rows of one region together, or none. The outcomes are in their order.
   * Fails as a single one does, and with {@link IllegalArgumentException} if the rows lie in
   * several regions.
   *
   * @param operations ascending by row, each row once, all with the same id
   */
  public CompletableFuture<List<Outcome>> applyTogether(
      String table, List<FastOperation> operations, long deadlineNanos) {
    FastOperationInFlight together = new FastOperationInFlight(operations);
    start(new Call(table, deadlineNanos), together);
    return together.end();
  }

  /** Begins with one; a fault in this class must not leave anybody waiting. */
  private void start(Call call, FastOperationInFlight one) {
    CompletableFuture<Void> done;
    try {
      done = run(call, List.of(one), 0, false);
    } catch (RuntimeException e) {
      one.fail(unforeseen(one, e));
      return;
    }
    done.whenComplete(
        (ended, fault) -> {
          if (fault != null) {
            one.fail(unforeseen(one, fault));
          }
        });
  }

  /** Target and deadline of a call. */
  private record Call(String table, long deadlineNanos) {}

  /** One round: what has no end yet is sent once, and what it met is dealt with. */
  private CompletableFuture<Void> run(
      Call call, List<FastOperationInFlight> open, int tries, boolean locateAgain) {
    if (open.isEmpty()) {
      return CompletableFuture.completedFuture(null);
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
        .handle(
            (regions, failure) -> {
              if (failure != null) {
                sorted.forEach(one -> one.notSent(Failures.asRuntime(failure)));
                return List.<List<FastOperationInFlight>>of();
              }
              return group(sorted, regions);
            })
        .thenCompose(
            requests -> {
              boolean scattered = sorted.get(0).isAtomic() && requests.size() > 1;
              if (scattered && locateAgain) {
                return end(call, sorted.get(0), acrossRegions(call.table()));
              }
              // What is known of regions may be old: a second look decides.
              return scattered
                  ? run(call, sorted, tries, true)
                  : requests.isEmpty() ? again(call, sorted, tries) : send(call, requests, tries);
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

  private CompletableFuture<Void> send(
      Call call, List<List<FastOperationInFlight>> groups, int tries) {
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
        .thenCompose(
            ends -> {
              List<FastOperationInFlight> open = new ArrayList<>(0);
              for (int i = 0; i < groups.size(); i++) {
                take(groups.get(i), ends.get(i));
                groups.get(i).stream().filter(FastOperationInFlight::isOpen).forEach(open::add);
              }
              return open.isEmpty()
                  ? CompletableFuture.completedFuture(null)
                  : again(call, open, tries);
            });
  }

  private void take(List<FastOperationInFlight> group, End end) {
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
      one.answered(mine, waits.clock().monotonicNanos());
    }
  }

  /** Ends what cannot go on, resolves what is in the way of the rest, waits, and sends it again. */
  private CompletableFuture<Void> again(Call call, List<FastOperationInFlight> open, int tries) {
    boolean over =
        tries >= MAX_ATTEMPTS || waits.clock().monotonicNanos() - call.deadlineNanos() >= 0;
    List<CompletableFuture<Void>> ending = new ArrayList<>(0);
    List<FastOperationInFlight> rest = new ArrayList<>(open.size());
    for (FastOperationInFlight one : open) {
      if (one.mustAsk()) {
        ending.add(ask(call, one));
      } else if (over || !one.mayRepeat()) {
        one.giveUp(call.table());
      } else {
        rest.add(one);
      }
    }
    CompletableFuture<Void> ended =
        CompletableFuture.allOf(ending.toArray(CompletableFuture[]::new));
    if (rest.isEmpty()) {
      return ended;
    }
    boolean elsewhere = rest.stream().anyMatch(FastOperationInFlight::maybeElsewhere);
    return ended
        .thenCompose(done -> clear(call, rest))
        .thenCompose(
            cleared ->
                cleared
                    ? CompletableFuture.completedFuture(null)
                    : waits.timer().after(Backoff.CALLS.delay(tries, waits.random())))
        .thenCompose(waited -> run(call, withTime(call, rest), tries + 1, elsewhere));
  }

  /**
   * Keeps only operations in doubt if too little time is left. An attempt cut off by the deadline
   * has no outcome; operations known not to be applied end so, and with their reason.
   */
  private List<FastOperationInFlight> withTime(Call call, List<FastOperationInFlight> rest) {
    if (call.deadlineNanos() - waits.clock().monotonicNanos() >= LEAST_NANOS) {
      return rest;
    }
    List<FastOperationInFlight> inDoubt =
        rest.stream().filter(FastOperationInFlight::isInDoubt).toList();
    rest.stream().filter(one -> !one.isInDoubt()).forEach(one -> one.giveUp(call.table()));
    return inDoubt;
  }

  /** Gets intents out of the way; gives whether nothing remains to be waited for. */
  private CompletableFuture<Boolean> clear(Call call, List<FastOperationInFlight> rest) {
    Map<TransactionId, FastOperationInFlight> met = new LinkedHashMap<>();
    rest.forEach(one -> one.blocker().ifPresent(id -> met.putIfAbsent(id, one)));
    boolean othersWait =
        rest.stream().anyMatch(one -> one.blocker().isEmpty() && !one.goesAtOnce());
    List<CompletableFuture<Boolean>> clearing = new ArrayList<>(met.size());
    long now = waits.clock().monotonicNanos();
    met.forEach(
        (id, one) ->
            clearing.add(
                blockers
                    .clear(
                        id,
                        call.table(),
                        one.blockedRow(),
                        session.floor(),
                        one.blockedForNanos(now) < patience.toNanos())
                    // Nobody to ask now: the next round meets the same intent again.
                    .exceptionally(failure -> false)));
    return CompletableFuture.allOf(clearing.toArray(CompletableFuture[]::new))
        .thenApply(
            done -> !othersWait && clearing.stream().allMatch(cleared -> cleared.getNow(false)));
  }

  /** Some attempt may still be on its way, and no further one would tell: the row is asked. */
  private CompletableFuture<Void> ask(Call call, FastOperationInFlight one) {
    FastOperation first = one.operations().get(0);
    return fates
        .find(
            call.table(),
            first.row(),
            first.id(),
            first.firstMark(),
            Proof.NONE,
            call.deadlineNanos())
        .handle(
            (fate, failure) -> {
              if (failure != null) {
                one.fail(
                    new OperationUnknownException(
                        "no answer tells whether it was applied",
                        first.firstMark(),
                        Failures.unwrap(failure)));
              } else if (fate.applied()) {
                one.complete(
                    one.operations().stream()
                        .map(o -> Outcome.of(FastReply.Kind.APPLIED_BEFORE, fate.timestamp()))
                        .toList());
              } else if (first.firstMark() < fate.timestamp()) {
                // Below the safe point its cells may have been collected: not found proves nothing.
                one.fail(
                    new OperationUnknownException(
                        "it may have been applied, and its cells collected",
                        first.firstMark(),
                        null));
              } else {
                one.notApplied(call.table());
              }
              return null;
            });
  }

  private CompletableFuture<Void> end(
      Call call, FastOperationInFlight one, RuntimeException failure) {
    one.refuse(failure);
    if (one.mustAsk()) {
      return ask(call, one);
    }
    one.giveUp(call.table());
    return CompletableFuture.completedFuture(null);
  }

  private static RuntimeException unforeseen(FastOperationInFlight one, Throwable fault) {
    return new OperationUnknownException("unforeseen failure", one.firstMark(), fault);
  }

  private static RuntimeException acrossRegions(String table) {
    return new IllegalArgumentException(
        "rows that are to be changed together lie in several regions: use a regular transaction,"
            + " table="
            + table);
  }
}
