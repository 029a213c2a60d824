package io.lampone.client.hbase.read;

import io.lampone.client.core.FastReads;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.hbase.transport.Attempt;
import io.lampone.client.hbase.transport.Futures;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.request.FastReadReply;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastReadRequest.Wants;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.jspecify.annotations.Nullable;

/**
 * Reads rows by the fast path: sends what {@link FastReads} asks for, several rows at a time, until
 * no row points to an intent any more.
 */
public final class FastReader {

  /** Times that one row is read again because it points to further intents. */
  private static final int MAX_ROUNDS = 100;

  private static final List<Integer> ALONE = List.of(0);

  private final StoreAccess access;
  private final FastReads reads;

  public FastReader(StoreAccess access, FastReads reads) {
    this.access = access;
    this.reads = reads;
  }

  /** A row as it was found; the version is 0 unless it was asked for. */
  public record FastRow(Result result, long version) {}

  /** Rows in the order of the gets, which have been checked. */
  public CompletableFuture<List<FastRow>> read(TableName table, List<Get> gets, Wants wants) {
    if (gets.isEmpty()) {
      return CompletableFuture.completedFuture(List.of());
    }
    return new Reading(table, gets, wants).start();
  }

  /** One row: the way of most reads, which ends with the first attempt and needs no lists. */
  public CompletableFuture<FastRow> read(TableName table, Get get, Wants wants) {
    return new Reading(table, List.of(get), wants).startAlone();
  }

  /** Answer of one attempt at one row. */
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
      Arrays.fill(requests, reads.first(wants));
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
        reads.shows(seen.reply());
        rows[index] =
            new FastRow(
                ReadRules.answer(gets.get(index), seen.row().cells()), seen.reply().version());
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

    /** Finds out what the next attempt at each row asks for. */
    private CompletableFuture<Void> resolve(List<Integer> blocked, List<Seen> unresolved) {
      if (blocked.isEmpty()) {
        return CompletableFuture.completedFuture(null);
      }
      List<FastReads.Blocked> met = new ArrayList<>(blocked.size());
      for (int i = 0; i < blocked.size(); i++) {
        Seen seen = unresolved.get(i);
        met.add(
            new FastReads.Blocked(requests[blocked.get(i)], seen.reply(), seen.row().pointers()));
      }
      return reads
          .resolve(met)
          .thenAccept(
              next -> {
                for (int i = 0; i < next.size(); i++) {
                  requests[blocked.get(i)] = next.get(i);
                }
              });
    }
  }
}
