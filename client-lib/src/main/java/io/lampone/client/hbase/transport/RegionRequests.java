package io.lampone.client.hbase.transport;

import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.Refusal.Advice;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RequestLimits;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.jspecify.annotations.Nullable;

/**
 * Sends rows of one table to their regions: one request for each region, all of them at once, in
 * one call for each server. A request that a server has refused for now is sent again after a
 * pause, grouped anew if its region has been split or moved; the others are not. Ends only when
 * every part has ended.
 */
public final class RegionRequests {

  private final StoreAccess access;

  /** A column that was written, by table and family; never more than the application uses. */
  private final ConcurrentMap<RowFamily, Place> written = new ConcurrentHashMap<>();

  public RegionRequests(StoreAccess access) {
    this.access = access;
  }

  /**
   * Rows to send, and their requests.
   *
   * @param table where
   * @param family in which something is changed; empty if the request names columns
   * @param rows ascending, each row once
   * @param key the row key of an element of {@code rows}
   * @param size roughly the bytes that an element takes
   * @param cells how many cells are written for an element
   * @param request the request of some of the rows, all in one region
   * @param requests counts requests
   * @param batches counts batches
   * @param awaited whether this thread, if it may, sends one of the requests itself: the caller
   *     only waits for all of them
   */
  public record Work<R>(
      String table,
      Bytes family,
      List<R> rows,
      Function<R, Bytes> key,
      ToLongFunction<R> size,
      ToIntFunction<R> cells,
      Function<List<R>, RegionRequest> request,
      LongAdder requests,
      LongAdder batches,
      boolean awaited) {}

  /** A part of the work for one region, and where that was when it was looked up. */
  private record Part<R>(List<R> rows, String server) {}

  /** End of a part; the failure is absent if it went well. */
  private record PartEnd<R>(
      Part<R> part, List<Outcome> outcomes, @Nullable RuntimeException failure) {}

  /** Sends all of it; the outcomes are in no particular order. */
  public <R> CompletableFuture<List<Outcome>> send(Work<R> work) {
    long deadlineNanos = access.deadline();
    List<Outcome> outcomes = new ArrayList<>();
    return locate(work, work.rows(), false, deadlineNanos)
        .thenCompose(parts -> sendWaves(work, parts, 0, 0, deadlineNanos, outcomes))
        .thenApply(done -> outcomes);
  }

  /** Sends the parts from {@code from} on, wave by wave, so that requests under way are bounded. */
  private <R> CompletableFuture<Void> sendWaves(
      Work<R> work,
      List<Part<R>> parts,
      int from,
      int tries,
      long deadlineNanos,
      List<Outcome> outcomes) {
    int to = Math.min(parts.size(), from + StoreSettings.WAVE_REQUESTS);
    CompletableFuture<Void> wave =
        sendParts(work, parts.subList(from, to), deadlineNanos)
            .thenCompose(ends -> afterParts(work, ends, tries, deadlineNanos, outcomes));
    return to == parts.size()
        ? wave
        : wave.thenCompose(done -> sendWaves(work, parts, to, tries, deadlineNanos, outcomes));
  }

  private <R> CompletableFuture<List<PartEnd<R>>> sendParts(
      Work<R> work, List<Part<R>> parts, long deadlineNanos) {
    TableName name = TableName.valueOf(work.table());
    AsyncTable<?> table = access.table(name, deadlineNanos);
    List<CheckAndMutate> operations = new ArrayList<>(parts.size());
    for (Part<R> part : parts) {
      operations.add(carried(work, work.request().apply(part.rows())));
    }
    work.requests().add(operations.size());
    work.batches().increment();
    List<CompletableFuture<CheckAndMutateResult>> sent = new ArrayList<>();
    if (allOnOwnServers(parts)) {
      int last = work.awaited() ? Math.max(0, operations.size() - 1) : operations.size();
      operations.subList(0, last).forEach(one -> sent.add(table.checkAndMutate(one)));
      // The last one: meanwhile the others are under way.
      operations
          .subList(last, operations.size())
          .forEach(one -> sent.add(access.send(name, one, deadlineNanos)));
    } else {
      sent.addAll(table.checkAndMutate(operations));
    }
    List<CompletableFuture<PartEnd<R>>> ends = new ArrayList<>(sent.size());
    for (int i = 0; i < sent.size(); i++) {
      Part<R> part = parts.get(i);
      ends.add(
          sent.get(i)
              .thenApply(reply -> new PartEnd<>(part, outcomes(part, reply), null))
              .exceptionally(
                  failure ->
                      new PartEnd<>(
                          part, List.of(), access.failed(work.table(), part.server(), failure))));
    }
    return Futures.all(ends);
  }

  /**
   * The operation that carries a request. One that names no column goes by a column that this
   * client has written, of its family if possible, because its user may have rights on that alone.
   */
  private CheckAndMutate carried(Work<?> work, RegionRequest request) {
    Optional<Place> own = Carrier.columnOf(request);
    Bytes family = own.map(Place::family).orElse(work.family());
    if (family.isEmpty()) {
      return Carrier.checkAndMutate(request);
    }
    RowFamily key = new RowFamily(work.table(), Bytes.EMPTY, family);
    RowFamily anyKey = new RowFamily(work.table(), Bytes.EMPTY, Bytes.EMPTY);
    if (request instanceof Flush) {
      written.putIfAbsent(key, own.orElseThrow());
      written.putIfAbsent(anyKey, own.orElseThrow());
      return Carrier.checkAndMutate(request);
    }
    Place any = written.getOrDefault(anyKey, Carrier.leaderIn(family));
    return Carrier.checkAndMutate(request, written.getOrDefault(key, any));
  }

  /**
   * Returns true if no server gets two parts: then a batch would save no call, and HBase's client
   * takes several times as long to make one.
   */
  private static boolean allOnOwnServers(List<? extends Part<?>> parts) {
    Set<String> servers = new HashSet<>();
    for (Part<?> part : parts) {
      if (!servers.add(part.server())) {
        return false;
      }
    }
    return true;
  }

  private static <R> List<Outcome> outcomes(Part<R> part, CheckAndMutateResult result) {
    List<Outcome> outcomes = Carrier.reply(result.getResult()).outcomes();
    if (outcomes.size() != part.rows().size()) {
      throw new MalformedException(
          "reply does not fit the request, rows="
              + part.rows().size()
              + " outcomes="
              + outcomes.size());
    }
    return outcomes;
  }

  private <R> CompletableFuture<Void> afterParts(
      Work<R> work, List<PartEnd<R>> ends, int tries, long deadlineNanos, List<Outcome> outcomes) {
    List<R> again = new ArrayList<>();
    boolean locateAgain = false;
    RuntimeException worst = null;
    for (PartEnd<R> end : ends) {
      outcomes.addAll(end.outcomes());
      RuntimeException failure = end.failure();
      if (failure == null) {
        continue;
      }
      if (StoreFailures.mayRepeat(failure) && !access.isOver(deadlineNanos)) {
        again.addAll(end.part().rows());
        locateAgain |= StoreFailures.advice(failure) == Advice.LOCATE_AGAIN;
      } else {
        worst = worse(worst, failure);
      }
    }
    if (worst != null) {
      return CompletableFuture.failedFuture(worst);
    }
    if (again.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    boolean reload = locateAgain;
    return access
        .pause(tries)
        .thenCompose(waited -> locate(work, again, reload, deadlineNanos))
        .thenCompose(parts -> sendWaves(work, parts, 0, tries + 1, deadlineNanos, outcomes));
  }

  /** Returns the failure of higher rank: a conflict, then any refusal, then an unavailability. */
  private static RuntimeException worse(@Nullable RuntimeException a, RuntimeException b) {
    return a == null || rank(b) > rank(a) ? b : a;
  }

  private static int rank(RuntimeException failure) {
    if (failure instanceof StoreRefusedException refused) {
      return refused.refusal().code() == Code.CONFLICT ? 2 : 1;
    }
    return 0;
  }

  /** Groups rows by region, and cuts what is too large for one request. */
  private <R> CompletableFuture<List<Part<R>>> locate(
      Work<R> work, List<R> rows, boolean reload, long deadlineNanos) {
    return locate(work, rows, reload, deadlineNanos, 0);
  }

  private <R> CompletableFuture<List<Part<R>>> locate(
      Work<R> work, List<R> rows, boolean reload, long deadlineNanos, int tries) {
    return locateFrom(work, rows, 0, reload, deadlineNanos, new ArrayList<>())
        .handle(
            (parts, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(parts);
              }
              // While a region is split or moved it has no location, and HBase's locator says so at
              // once, where HBase's own calls would wait.
              if (StoreFailures.isForGood(failure) || access.isOver(deadlineNanos)) {
                return CompletableFuture.<List<Part<R>>>failedFuture(
                    StoreFailures.toStoreFailure(work.table(), "unknown", failure));
              }
              return access
                  .pause(tries)
                  .thenCompose(waited -> locate(work, rows, true, deadlineNanos, tries + 1));
            })
        .thenCompose(Function.identity());
  }

  private <R> CompletableFuture<List<Part<R>>> locateFrom(
      Work<R> work,
      List<R> rows,
      int from,
      boolean reload,
      long deadlineNanos,
      List<Part<R>> parts) {
    int next = from;
    while (next < rows.size()) {
      int first = next;
      CompletableFuture<HRegionLocation> lookup =
          access
              .connection()
              .getRegionLocator(TableName.valueOf(work.table()))
              .getRegionLocation(work.key().apply(rows.get(first)).unsafeArray(), reload);
      if (!lookup.isDone() || lookup.isCompletedExceptionally()) {
        // Not in the cache: go on when it is known. (What is cached is taken in this loop, so that
        // many regions make no deep stack.)
        return lookup.thenCompose(
            location ->
                locateFrom(
                    work,
                    rows,
                    cut(work, rows, first, location, parts),
                    reload,
                    deadlineNanos,
                    parts));
      }
      next = cut(work, rows, first, lookup.join(), parts);
    }
    return CompletableFuture.completedFuture(parts);
  }

  /** Adds the parts of the region at {@code location}; gives the first row that is not in it. */
  private <R> int cut(
      Work<R> work, List<R> rows, int from, HRegionLocation location, List<Part<R>> parts) {
    byte[] end = location.getRegion().getEndKey();
    String server = String.valueOf(location.getServerName());
    List<R> part = new ArrayList<>();
    long bytes = 0;
    long cells = 0;
    int next = from;
    // The first row is in the region because the lookup says so; this also makes the loop advance.
    while (next < rows.size()
        && (next == from
            || end.length == 0
            || Arrays.compareUnsigned(work.key().apply(rows.get(next)).unsafeArray(), end) < 0)) {
      R row = rows.get(next);
      long size = work.size().applyAsLong(row);
      int written = work.cells().applyAsInt(row);
      if (!part.isEmpty()
          && (bytes + size > access.settings().requestBytes()
              || cells + written > RequestLimits.MAX_CELLS
              || part.size() == access.settings().requestRows())) {
        parts.add(new Part<>(List.copyOf(part), server));
        part.clear();
        bytes = 0;
        cells = 0;
      }
      part.add(row);
      bytes += size;
      cells += written;
      next++;
    }
    parts.add(new Part<>(List.copyOf(part), server));
    return next;
  }
}
