package io.lampone.client.hbase;

import io.lampone.client.core.IntentResolver;
import io.lampone.client.core.Session;
import io.lampone.client.core.StoreUnavailableException;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.FastReadReply;
import io.lampone.protocol.FastReadRequest;
import io.lampone.protocol.FastReadRequest.Wants;
import io.lampone.protocol.tm.TimestampOracle;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.jspecify.annotations.Nullable;

/**
 * Reads rows by the fast path (protocol page, section 8): the server picks the snapshot, one for
 * each row. Nobody asks the transaction manager, unless a read meets an intent that may be below
 * what the session knows of: that one is resolved for the row's snapshot, and the row read again.
 *
 * <p>Resolving begins with a fresh floor. An absent leader counts as invisible because whoever
 * still wants to put it there is fenced off by the floor that the look at it carries [M3]; a
 * session that has only used the fast path may not have heard of the newest one.
 *
 * <p>A read that wants the latest state, and was pointed to intents, goes on as a read at a start
 * timestamp that was issued for it: the one that came with that floor (ADR 32).
 */
final class FastReader {

  /** Times that one row is read again because it points to further intents. */
  private static final int MAX_ROUNDS = 100;

  private static final List<Integer> ALONE = List.of(0);

  private final StoreAccess access;
  private final Session session;
  private final IntentResolver resolver;
  private final TimestampOracle oracle;

  FastReader(StoreAccess access, Session session, IntentResolver resolver, TimestampOracle oracle) {
    this.access = access;
    this.session = session;
    this.resolver = resolver;
    this.oracle = oracle;
  }

  /** A row as it was found; the version is 0 unless it was asked for. */
  record FastRow(Result result, long version) {}

  /** Rows in the order of the gets, which have been checked. */
  CompletableFuture<List<FastRow>> read(TableName table, List<Get> gets, Wants wants) {
    if (gets.isEmpty()) {
      return CompletableFuture.completedFuture(List.of());
    }
    return new Reading(table, gets, wants).start();
  }

  /** One row: the way of most reads, which ends with the first attempt and needs no lists. */
  CompletableFuture<FastRow> read(TableName table, Get get, Wants wants) {
    return new Reading(table, List.of(get), wants).startAlone();
  }

  /** The same read at a snapshot, with the floor that came with the judgments for it [M3]. */
  private static FastReadRequest again(
      FastReadRequest request, long snapshot, long floor, Map<Long, Long> judged) {
    FastReadRequest next = request.again(snapshot, judged);
    return new FastReadRequest(next.mark(), floor, snapshot, next.wants(), next.judgments());
  }

  /** What one attempt at one row brought. */
  private record Seen(ServerRow row, FastReadReply reply) {}

  /** One batch of gets on its way. Used by one thread after the other. */
  private final class Reading {

    private final TableName table;
    private final String name;
    private final List<Get> gets;
    // by number of the get: what its next attempt carries
    private final FastReadRequest[] requests;
    private final @Nullable FastRow[] rows;
    private final long deadlineNanos = access.deadline();

    Reading(TableName table, List<Get> gets, Wants wants) {
      this.table = table;
      this.name = table.getNameAsString();
      this.gets = gets;
      this.rows = new FastRow[gets.size()];
      this.requests = new FastReadRequest[gets.size()];
      FastReadRequest first = FastReadRequest.of(session.mark(), session.floor(), wants);
      java.util.Arrays.fill(requests, first);
    }

    CompletableFuture<List<FastRow>> start() {
      List<Integer> all = new ArrayList<>(gets.size());
      for (int i = 0; i < gets.size(); i++) {
        all.add(i);
      }
      return read(all, 0, 0).thenApply(done -> List.of(rows));
    }

    CompletableFuture<FastRow> startAlone() {
      access.metrics().fastReads.increment();
      return access
          .get(table, carrying(0), deadlineNanos)
          .handle((result, failure) -> afterAlone(Attempt.of(access, name, result, failure)))
          .thenCompose(Function.identity());
    }

    private CompletableFuture<FastRow> afterAlone(Attempt<Result> end) {
      CompletableFuture<Void> rest = afterRead(ALONE, List.of(end.then(name, this::seen)), 0, 0);
      FastRow row = rows[0];
      return row != null
          ? CompletableFuture.completedFuture(row)
          : rest.thenApply(done -> Objects.requireNonNull(rows[0]));
    }

    private Get carrying(int index) {
      Get copy = new Get(gets.get(index));
      // HBase answers a bare existence check without cells: no proof could come back.
      copy.setCheckExistenceOnly(false);
      copy.setAttribute(FastReadRequest.ATTRIBUTE, requests[index].encode());
      return copy;
    }

    private CompletableFuture<Void> read(List<Integer> wanted, int tries, int rounds) {
      List<Get> sent = new ArrayList<>(wanted.size());
      for (int index : wanted) {
        sent.add(carrying(index));
      }
      access.metrics().fastReads.increment();
      List<CompletableFuture<Attempt<Seen>>> ends = new ArrayList<>(sent.size());
      Attempt.gets(access, name, sent, deadlineNanos)
          .forEach(end -> ends.add(end.thenApply(e -> e.then(name, this::seen))));
      return Futures.all(ends).thenCompose(all -> afterRead(wanted, all, tries, rounds));
    }

    private Seen seen(Result result) {
      return new Seen(ServerRow.of(name, result), Carrier.fastReadReply(result));
    }

    private CompletableFuture<Void> afterRead(
        List<Integer> wanted, List<Attempt<Seen>> ends, int tries, int rounds) {
      List<Integer> refused = new ArrayList<>(0);
      List<Integer> blocked = new ArrayList<>(0);
      List<Seen> unresolved = new ArrayList<>(0);
      for (int i = 0; i < ends.size(); i++) {
        int index = wanted.get(i);
        Attempt<Seen> end = ends.get(i);
        if (end.failure().isPresent()) {
          RuntimeException failure = end.failure().get();
          if (!StoreFailures.mayRepeat(failure) || access.isOver(deadlineNanos)) {
            return CompletableFuture.failedFuture(failure);
          }
          refused.add(index);
          continue;
        }
        Seen seen = end.value();
        if (!seen.row().pointers().isEmpty()) {
          blocked.add(index);
          unresolved.add(seen);
          continue;
        }
        session.heardOf(seen.reply().snapshot());
        rows[index] = new FastRow(Result.create(seen.row().cells()), seen.reply().version());
      }
      if (refused.isEmpty() && blocked.isEmpty()) {
        return CompletableFuture.completedFuture(null);
      }
      if (rounds == MAX_ROUNDS) {
        return CompletableFuture.failedFuture(
            new StoreUnavailableException(
                "a row points to ever more intents, table=" + name, new IOException("rounds")));
      }
      List<Integer> again = new ArrayList<>(refused);
      again.addAll(blocked);
      CompletableFuture<Void> pause =
          refused.isEmpty() ? CompletableFuture.completedFuture(null) : access.pause(tries);
      return resolve(blocked, unresolved)
          .thenCombine(pause, (resolved, waited) -> waited)
          .thenCompose(
              ready ->
                  read(
                      again,
                      refused.isEmpty() ? tries : tries + 1,
                      blocked.isEmpty() ? rounds : rounds + 1));
    }

    /** Judges what each row points to, for the snapshot of that row. */
    private CompletableFuture<Void> resolve(List<Integer> blocked, List<Seen> unresolved) {
      if (blocked.isEmpty()) {
        return CompletableFuture.completedFuture(null);
      }
      return oracle
          .begin()
          .thenCompose(
              begin -> {
                session.began(begin);
                List<CompletableFuture<Void>> judging = new ArrayList<>(blocked.size());
                for (int i = 0; i < blocked.size(); i++) {
                  int index = blocked.get(i);
                  long snapshot =
                      requests[index].wantsAllIntents()
                          ? begin.startTimestamp()
                          : unresolved.get(i).reply().snapshot();
                  judging.add(
                      resolver
                          .resolve(unresolved.get(i).row().pointers(), snapshot, begin.floor())
                          .thenAccept(
                              judged ->
                                  requests[index] =
                                      again(requests[index], snapshot, begin.floor(), judged)));
                }
                return Futures.allEnded(judging);
              });
    }
  }
}
