package io.lampone.client.hbase;

import io.lampone.client.core.FastPathStore;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.AsyncRequest;
import io.lampone.client.hbase.transport.RegionTransport;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.hadoop.hbase.CallQueueTooBigException;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.AsyncTableRegionLocator;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.exceptions.RegionMovedException;
import org.apache.hadoop.hbase.exceptions.RegionOpeningException;
import org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.jspecify.annotations.Nullable;

/**
 * The fast path's requests on HBase. HBase's client does not repeat them: it could not mark the
 * repetition as one. And it forgets a wrong location only when it repeats, so the location is read
 * again here, when the caller says that it was wrong.
 */
public final class HBaseFastPathStore implements FastPathStore {

  private static final String SOME_SERVER = "unknown";

  /**
   * Thrown before an operation is begun: it was not carried out. Not the exceptions of a connection
   * that could not be had: a server may pass on its own.
   */
  private static final List<Class<? extends Throwable>> NOT_BEGUN =
      List.of(
          NotServingRegionException.class,
          RegionMovedException.class,
          RegionOpeningException.class,
          RegionTooBusyException.class,
          CallQueueTooBigException.class,
          TableNotFoundException.class,
          TableNotEnabledException.class,
          NoSuchColumnFamilyException.class,
          AccessDeniedException.class);

  private final StoreAccess access;
  private final TableCache tables;

  /** A column that was written, by table; never more than the application uses. */
  private final ConcurrentMap<String, Place> written = new ConcurrentHashMap<>();

  public HBaseFastPathStore(StoreAccess access, TableCache tables) {
    this.access = access;
    this.tables = tables;
  }

  @Override
  public Step<List<List<Bytes>>> regionsOf(String table, List<Bytes> rows, boolean again) {
    AsyncTableRegionLocator locator =
        access.connection().getRegionLocator(TableName.valueOf(table));
    return locateFrom(locator, rows, 0, again, new ArrayList<>())
        .recover(failure -> Step.failed(StoreFailures.toStoreFailure(table, SOME_SERVER, failure)));
  }

  private static Step<List<List<Bytes>>> locateFrom(
      AsyncTableRegionLocator locator,
      List<Bytes> rows,
      int from,
      boolean again,
      List<List<Bytes>> regions) {
    if (from == rows.size()) {
      return Step.done(regions);
    }
    return AsyncRequest.step(() -> locator.getRegionLocation(rows.get(from).unsafeArray(), again))
        .then(
            location ->
                locateFrom(locator, rows, cut(rows, from, location, regions), again, regions));
  }

  /** Adds the rows of the region at {@code location}; gives the first one that is not in it. */
  private static int cut(
      List<Bytes> rows, int from, HRegionLocation location, List<List<Bytes>> regions) {
    byte[] end = location.getRegion().getEndKey();
    int next = from + 1; // the look-up says that the first one is in the region
    while (next < rows.size()
        && (end.length == 0 || Arrays.compareUnsigned(rows.get(next).unsafeArray(), end) < 0)) {
      next++;
    }
    regions.add(List.copyOf(rows.subList(from, next)));
    return next;
  }

  @Override
  public Step<Boolean> mayCommitInOneRegion(String table, List<Bytes> rows) {
    return AsyncRequest.step(() -> tables.get(TableName.valueOf(table)))
        .then(
            view ->
                view.hasFastPath() && rows.size() > 1
                    ? regionsOf(table, rows, false).map(regions -> regions.size() == 1)
                    : Step.done(view.hasFastPath()));
  }

  @Override
  public Step<List<End>> send(
      String table, List<? extends RegionRequest> requests, long deadlineNanos) {
    TableName name = TableName.valueOf(table);
    // What may be repeated for a day must not be waited for that long once.
    long endNanos = access.deadlineWithin(deadlineNanos);
    return Step.begin(
            begun -> {
              requests.forEach(this::count);
              return requests.size() == 1
                  ? Step.together(
                      List.of(
                          access
                              .transport()
                              .send(
                                  name,
                                  carried(table, requests.get(0)),
                                  endNanos,
                                  RegionTransport.ONE_ATTEMPT)))
                  : AsyncRequest.batch(
                      requests.size(),
                      () ->
                          access
                              .transport()
                              .table(name, endNanos, RegionTransport.ONE_ATTEMPT)
                              .checkAndMutate(
                                  requests.stream().map(one -> carried(table, one)).toList()));
            })
        .map(
            sent -> {
              List<End> ends = new ArrayList<>(sent.size());
              for (int i = 0; i < sent.size(); i++) {
                ends.add(end(table, requests.get(i), sent.get(i)));
              }
              return ends;
            });
  }

  /**
   * Returns the carrier of a request; one without a column takes a column that this client has
   * written, if there is one.
   */
  private CheckAndMutate carried(String table, RegionRequest request) {
    @Nullable Place known = written.get(table);
    Optional<Place> own = Carrier.columnOf(request);
    if (known == null && own.isPresent()) {
      written.put(table, own.get());
    }
    return own.isPresent() || known == null
        ? Carrier.checkAndMutate(request)
        : Carrier.checkAndMutate(request, known);
  }

  private void count(RegionRequest request) {
    if (request instanceof FastWrite) {
      access.metrics().fastWrites.increment();
    } else if (request instanceof OneRegionCommit) {
      access.metrics().oneRegionCommits.increment();
    } else {
      access.metrics().operationLookups.increment();
    }
  }

  private End end(String table, RegionRequest request, Step.Ended<CheckAndMutateResult> sent) {
    Throwable failure = sent.failure();
    if (failure == null) {
      CheckAndMutateResult result = sent.value();
      try {
        FastReply reply = Carrier.fastReply(result.getResult());
        if (fits(reply.outcomes().size(), request)) {
          access.metrics().replies().count(request, reply);
          return new End.Answered(reply);
        }
        return new End.Lost(
            missingCoprocessor(table, new MalformedException("reply does not fit the request")));
      } catch (MalformedException e) {
        RuntimeException why = missingCoprocessor(table, e);
        // Our code answers with success. A plain region finds that the condition does not hold.
        return result.isSuccess() ? new End.Lost(why) : new End.NotExecuted(why);
      }
    }
    RuntimeException why = access.failed(table, SOME_SERVER, failure);
    if (why instanceof StoreRefusedException refused) {
      return mayHaveBeenApplied(refused.refusal().code())
          ? new End.Lost(why)
          : new End.NotExecuted(why);
    }
    boolean notBegun =
        NOT_BEGUN.stream().anyMatch(type -> StoreFailures.find(failure, type).isPresent());
    return notBegun ? new End.NotExecuted(why) : new End.Lost(why);
  }

  private static boolean fits(int outcomes, RegionRequest request) {
    int rows = request.rows().size();
    return outcomes == rows
        || request instanceof OneRegionCommit commit
            && outcomes > rows
            && outcomes <= rows + commit.reads().size();
  }

  private static RuntimeException missingCoprocessor(String table, MalformedException why) {
    return StoreFailures.missingCoprocessor(table, SOME_SERVER, why);
  }

  /**
   * Returns true if the server may refuse after the mutation: it checks its session once more, and
   * an internal error may occur at any time.
   */
  private static boolean mayHaveBeenApplied(Refusal.Code code) {
    return code == Refusal.Code.SESSION_UNPROVEN || code == Refusal.Code.INTERNAL;
  }
}
