package io.lampone.client.hbase.transport;

import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.AsyncRequest;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.jspecify.annotations.Nullable;

/**
 * Sends rows of one table to their regions: one request for each region, all of them concurrently,
 * in one call for each server. A temporarily refused request is sent again after a pause, regrouped
 * if its region has been split or moved; the others are not. Ends only when every part has ended.
 */
public final class RegionRequests {

  private final StoreAccess access;

  /** Places with a written column, by table and family; never more than the application uses. */
  private final ConcurrentMap<RowFamily, Place> written = new ConcurrentHashMap<>();

  public RegionRequests(StoreAccess access) {
    this.access = access;
  }

  /**
   * Rows to send, and their requests.
   *
   * @param table table of the rows
   * @param family family of the changes; empty if the request names columns
   * @param rows ascending, each row once
   * @param key returns the row key of an element of {@code rows}
   * @param size returns the approximate size of an element in bytes
   * @param cells returns the number of cells that are written for an element
   * @param request returns the request of some of the rows, all in one region
   * @param requests counts requests
   * @param batches counts batches
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
      LongAdder batches) {}

  /** Part of the work for one region, and the server at the time of the lookup. */
  private record Part<R>(List<R> rows, String server) {}

  /** End of a part; the failure is absent after success. */
  private record PartEnd<R>(
      Part<R> part, List<Outcome> outcomes, @Nullable RuntimeException failure) {}

  /** Sends all of it; the outcomes are in no particular order. */
  public <R> Step<List<Outcome>> send(Work<R> work) {
    long deadlineNanos = access.deadline();
    List<Outcome> outcomes = new ArrayList<>();
    return locate(work, work.rows(), false, deadlineNanos, 0)
        .then(parts -> sendWaves(work, parts, 0, 0, deadlineNanos, outcomes))
        .map(done -> outcomes);
  }

  /** Sends the parts from {@code from} on in waves, so that outstanding requests are bounded. */
  private <R> Step<Void> sendWaves(
      Work<R> work,
      List<Part<R>> parts,
      int from,
      int tries,
      long deadlineNanos,
      List<Outcome> outcomes) {
    int to = Math.min(parts.size(), from + StoreSettings.WAVE_REQUESTS);
    List<Part<R>> some = parts.subList(from, to);
    Step<Void> wave =
        sendParts(work, some, deadlineNanos)
            .next(
                sent ->
                    afterParts(
                        work,
                        ends(work, some, sent.value()),
                        tries,
                        sent.isAfter(deadlineNanos),
                        deadlineNanos,
                        outcomes));
    return to == parts.size()
        ? wave
        : wave.then(done -> sendWaves(work, parts, to, tries, deadlineNanos, outcomes));
  }

  private <R> Step<List<Step.Ended<CheckAndMutateResult>>> sendParts(
      Work<R> work, List<Part<R>> parts, long deadlineNanos) {
    TableName name = TableName.valueOf(work.table());
    List<CheckAndMutate> operations = new ArrayList<>(parts.size());
    for (Part<R> part : parts) {
      operations.add(carried(work, work.request().apply(part.rows())));
    }
    work.requests().add(operations.size());
    work.batches().increment();
    return allOnOwnServers(parts)
        ? Step.together(
            operations.stream()
                .map(
                    one ->
                        access.transport().send(name, one, deadlineNanos, RegionTransport.ATTEMPTS))
                .toList())
        : AsyncRequest.batch(
            operations.size(),
            () ->
                access
                    .transport()
                    .table(name, deadlineNanos, RegionTransport.ATTEMPTS)
                    .checkAndMutate(operations));
  }

  private <R> List<PartEnd<R>> ends(
      Work<R> work, List<Part<R>> parts, List<Step.Ended<CheckAndMutateResult>> sent) {
    List<PartEnd<R>> ends = new ArrayList<>(parts.size());
    for (int i = 0; i < parts.size(); i++) {
      Part<R> part = parts.get(i);
      Throwable failure = sent.get(i).failure();
      try {
        ends.add(
            failure == null
                ? new PartEnd<>(part, outcomes(part, sent.get(i).value()), null)
                : failed(work, part, failure));
      } catch (RuntimeException e) {
        ends.add(failed(work, part, e));
      }
    }
    return ends;
  }

  private <R> PartEnd<R> failed(Work<R> work, Part<R> part, Throwable failure) {
    return new PartEnd<>(part, List.of(), access.failed(work.table(), part.server(), failure));
  }

  /**
   * Returns the operation that carries a request. One without a column uses a column that this
   * client has written, of its family if possible, because its user may have rights only on that.
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

  private <R> Step<Void> afterParts(
      Work<R> work,
      List<PartEnd<R>> ends,
      int tries,
      boolean over,
      long deadlineNanos,
      List<Outcome> outcomes) {
    List<R> again = new ArrayList<>();
    boolean locateAgain = false;
    RuntimeException worst = null;
    for (PartEnd<R> end : ends) {
      outcomes.addAll(end.outcomes());
      RuntimeException failure = end.failure();
      if (failure == null) {
        continue;
      }
      if (StoreFailures.mayRepeat(failure) && !over) {
        again.addAll(end.part().rows());
        locateAgain |= StoreFailures.advice(failure) == Advice.LOCATE_AGAIN;
      } else {
        worst = worse(worst, failure);
      }
    }
    if (worst != null) {
      return Step.failed(worst);
    }
    if (again.isEmpty()) {
      return Step.done();
    }
    boolean reload = locateAgain;
    return access
        .pause(tries)
        .then(waited -> locate(work, again, reload, deadlineNanos, 0))
        .then(parts -> sendWaves(work, parts, 0, tries + 1, deadlineNanos, outcomes));
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

  /** Groups rows by region, and splits parts that are too large for one request. */
  private <R> Step<List<Part<R>>> locate(
      Work<R> work, List<R> rows, boolean reload, long deadlineNanos, int tries) {
    List<Part<R>> found = new ArrayList<>();
    return locateFrom(work, rows, 0, reload, found)
        .next(
            located -> {
              Throwable failure = located.failure();
              if (failure == null) {
                return Step.done(found);
              }
              // During a split or move a region has no location, and HBase's locator fails at once,
              // where HBase's own calls would wait.
              if (StoreFailures.isForGood(failure) || located.isAfter(deadlineNanos)) {
                return Step.failed(StoreFailures.toStoreFailure(work.table(), "unknown", failure));
              }
              return access
                  .pause(tries)
                  .then(waited -> locate(work, rows, true, deadlineNanos, tries + 1));
            });
  }

  private <R> Step<Void> locateFrom(
      Work<R> work, List<R> rows, int from, boolean reload, List<Part<R>> parts) {
    if (from == rows.size()) {
      return Step.done();
    }
    return AsyncRequest.step(
            () ->
                access
                    .connection()
                    .getRegionLocator(TableName.valueOf(work.table()))
                    .getRegionLocation(work.key().apply(rows.get(from)).unsafeArray(), reload))
        .then(
            location ->
                locateFrom(work, rows, cut(work, rows, from, location, parts), reload, parts));
  }

  /** Adds the parts of the region at {@code location}; returns the first row that is not in it. */
  private <R> int cut(
      Work<R> work, List<R> rows, int from, HRegionLocation location, List<Part<R>> parts) {
    byte[] end = location.getRegion().getEndKey();
    String server = String.valueOf(location.getServerName());
    List<R> part = new ArrayList<>();
    long bytes = 0;
    long cells = 0;
    int next = from;
    // By the lookup, the first row is in the region; this also makes the loop advance.
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
