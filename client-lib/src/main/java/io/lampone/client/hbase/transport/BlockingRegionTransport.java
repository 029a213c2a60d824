package io.lampone.client.hbase.transport;

import io.lampone.client.core.step.Step;
import io.lampone.client.driver.AsyncRequest;
import io.lampone.client.driver.Driver;
import io.lampone.client.hbase.line.RegionServerConnectionPool;
import io.lampone.client.hbase.line.RegionServerConnectionPool.Posted;
import io.lampone.client.hbase.line.Rpc;
import io.lampone.client.hbase.read.ScanPage;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Consistency;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.ipc.HBaseRpcController;
import org.apache.hadoop.hbase.ipc.RpcControllerFactory;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.RequestConverter;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.GetResponse;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.MutateRequest;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.MutateResponse;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.MutationProto.MutationType;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.ScanResponse;
import org.apache.hadoop.hbase.shaded.protobuf.generated.HBaseProtos.RegionSpecifier.RegionSpecifierType;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transport by dedicated connections for threads that wait for the reply: such a thread sends the
 * first attempt of a carrier, of gets or of a scan itself, and reads the reply (ADR 50). All else,
 * and every further attempt, goes through HBase's asynchronous client: a failure here is an
 * ordinary failed attempt.
 *
 * <p>Only for regions whose location is known already. HBase's messages are private to HBase: if
 * its classes do not fit, nothing is sent this way any more.
 */
public final class BlockingRegionTransport implements RegionTransport {

  private static final Logger LOG = LoggerFactory.getLogger(BlockingRegionTransport.class);

  private final RegionTransport further;
  private final StoreSettings settings;
  private final Clock clock;
  private final AsyncConnection locations;
  private final RegionServerConnectionPool connections;
  private final RpcControllerFactory controllers;
  private final long responseBytes;
  private final int responseRows;

  private volatile boolean fits = true;

  /** Call of one row, for its region. */
  private interface Call<R extends Message, T> {
    Rpc<R, T> in(byte[] region, int priority) throws IOException;
  }

  /**
   * Creates a transport that sends nothing before the first call.
   *
   * @param further transport of everything else
   * @param locations locator of regions
   * @param configuration HBase's
   * @param connections to the same cluster; closed by {@link #close}
   */
  public BlockingRegionTransport(
      RegionTransport further,
      StoreSettings settings,
      Clock clock,
      AsyncConnection locations,
      Configuration configuration,
      RegionServerConnectionPool connections) {
    this.further = further;
    this.settings = settings;
    this.clock = clock;
    this.locations = locations;
    this.connections = connections;
    this.controllers = RpcControllerFactory.instantiate(configuration);
    this.responseBytes =
        configuration.getLong(
            HConstants.HBASE_CLIENT_SCANNER_MAX_RESULT_SIZE_KEY,
            HConstants.DEFAULT_HBASE_CLIENT_SCANNER_MAX_RESULT_SIZE);
    this.responseRows =
        configuration.getInt(
            HConstants.HBASE_CLIENT_SCANNER_CACHING,
            HConstants.DEFAULT_HBASE_CLIENT_SCANNER_CACHING);
  }

  @Override
  public Step<Result> get(TableName name, Get get, long deadlineNanos) {
    AsyncRequest<Result> elsewhere = () -> table(name, deadlineNanos, ATTEMPTS).get(get);
    return get.getConsistency() != Consistency.STRONG
        ? AsyncRequest.step(elsewhere)
        : step(
            elsewhere,
            BlockingRegionTransport::stands,
            until -> {
              long nanos = callNanos(deadlineNanos, until);
              return located(name, get.getRow())
                  .flatMap(at -> post(name, at, (region, rank) -> get(region, rank, get, nanos)));
            });
  }

  /**
   * Returns a step that sends a request elsewhere, too, if it was not posted or its end does not
   * stand.
   */
  private static <T> Step<T> step(
      AsyncRequest<T> elsewhere,
      Predicate<CompletableFuture<T>> stands,
      LongFunction<Optional<Supplier<CompletableFuture<T>>>> posting) {
    return AsyncRequest.posted(
        elsewhere,
        until ->
            posting
                .apply(until)
                .map(
                    reply ->
                        () -> Optional.of(reply.get()).filter(stands).orElseGet(elsewhere::start)));
  }

  private static Rpc<GetResponse, Result> get(byte[] region, int priority, Get get, long nanos)
      throws IOException {
    return new Rpc<>(
        "Get",
        RequestConverter.buildGetRequest(region, get),
        GetResponse.getDefaultInstance(),
        priority,
        nanos,
        (reply, cells) -> ProtobufUtil.toResult(reply.getResult(), cells));
  }

  @Override
  public Step<List<Step.Ended<Result>>> gets(TableName name, List<Get> gets, long deadlineNanos) {
    return Step.begin(
        event -> {
          Collection<MultiGet> calls =
              gets.stream().allMatch(get -> get.getConsistency() == Consistency.STRONG)
                  ? MultiGet.byServer(gets, get -> located(name, get.getRow()))
                  : List.of();
          return calls.isEmpty()
              ? further.gets(name, gets, deadlineNanos)
              : Step.together(calls.stream().map(call -> send(name, call, deadlineNanos)).toList())
                  .map(ends -> MultiGet.inOrder(calls, ends));
        });
  }

  private Step<List<Step.Ended<Result>>> send(TableName name, MultiGet call, long deadlineNanos) {
    return step(
        () -> Driver.ends(table(name, deadlineNanos, ATTEMPTS).get(call.gets())),
        end ->
            end.handle(
                    (ends, failure) ->
                        failure != null
                            ? isFinal(failure)
                            : ends.stream().allMatch(one -> isFinal(one.failure())))
                .join(),
        until -> {
          long nanos = callNanos(deadlineNanos, until);
          return post(name, call.location(), (region, rank) -> call.rpc(rank, nanos));
        });
  }

  @Override
  public Step<CheckAndMutateResult> send(
      TableName name, CheckAndMutate carrier, long deadlineNanos, int attempts) {
    return step(
        () -> table(name, deadlineNanos, attempts).checkAndMutate(carrier),
        end -> attempts == ONE_ATTEMPT || stands(end),
        until -> {
          long nanos = callNanos(deadlineNanos, until);
          return located(name, carrier.getRow())
              .flatMap(at -> post(name, at, (region, rank) -> put(region, rank, carrier, nanos)));
        });
  }

  private static Rpc<MutateResponse, CheckAndMutateResult> put(
      byte[] region, int priority, CheckAndMutate carrier, long nanos) throws IOException {
    MutateRequest request =
        MutateRequest.newBuilder()
            .setRegion(
                RequestConverter.buildRegionSpecifier(RegionSpecifierType.REGION_NAME, region))
            .setMutation(ProtobufUtil.toMutation(MutationType.PUT, (Put) carrier.getAction()))
            .setCondition(
                ProtobufUtil.toCondition(
                    carrier.getRow(),
                    carrier.getFamily(),
                    carrier.getQualifier(),
                    CompareOperator.EQUAL,
                    carrier.getValue(),
                    carrier.getTimeRange()))
            .build();
    return new Rpc<>(
        "Mutate",
        request,
        MutateResponse.getDefaultInstance(),
        priority,
        nanos,
        (reply, cells) ->
            new CheckAndMutateResult(
                reply.getProcessed(), ProtobufUtil.toResult(reply.getResult(), cells)));
  }

  /** The scan receives the limits of a response that HBase's client would set. */
  @Override
  public Optional<CompletableFuture<ScanPage>> firstPage(
      TableName name, Scan scan, long deadlineNanos, long untilNanos) {
    if (scan.getMaxResultSize() <= 0) {
      scan.setMaxResultSize(responseBytes);
    }
    if (scan.getCaching() <= 0) {
      scan.setCaching(responseRows);
    }
    long nanos = callNanos(deadlineNanos, untilNanos);
    return located(name, scan.getStartRow())
        .filter(at -> ScanPage.canBegin(scan, at.getRegion()))
        .flatMap(at -> call(name, at, (region, rank) -> scan(region, rank, scan, nanos)))
        .filter(BlockingRegionTransport::stands);
  }

  private static Rpc<ScanResponse, ScanPage> scan(
      byte[] region, int priority, Scan scan, long nanos) throws IOException {
    return new Rpc<>(
        "Scan",
        ScanPage.request(region, scan),
        ScanResponse.getDefaultInstance(),
        priority,
        nanos,
        (reply, cells) -> ScanPage.of(scan, reply, cells));
  }

  @Override
  public AsyncTable<AdvancedScanResultConsumer> table(
      TableName name, long deadlineNanos, int attempts) {
    return further.table(name, deadlineNanos, attempts);
  }

  /** Returns the time of one call for a thread that waits until {@code untilNanos}. */
  private long callNanos(long deadlineNanos, long untilNanos) {
    long now = clock.monotonicNanos();
    return Math.min(
        StoreSettings.callNanos(settings.leftNanos(deadlineNanos, now)), untilNanos - now);
  }

  /** Returns the location of the row's region if it is known. */
  private Optional<HRegionLocation> located(TableName table, byte[] row) {
    if (!fits) {
      return Optional.empty();
    }
    CompletableFuture<HRegionLocation> lookup =
        locations.getRegionLocator(table).getRegionLocation(row);
    return lookup.isDone() && !lookup.isCompletedExceptionally()
        ? Optional.of(lookup.join()).filter(at -> at.getServerName() != null)
        : Optional.empty();
  }

  /** Returns the end of the call; empty if it was not sent. */
  private <R extends Message, T> Optional<CompletableFuture<T>> call(
      TableName table, HRegionLocation location, Call<R, T> call) {
    return post(table, location, call).map(Supplier::get);
  }

  /** Sends a call; the supplier waits for its end. Empty if it was not sent. */
  private <R extends Message, T> Optional<Supplier<CompletableFuture<T>>> post(
      TableName table, HRegionLocation location, Call<R, T> call) {
    ServerName server = location.getServerName();
    try {
      HBaseRpcController controller = controllers.newController();
      controller.setPriority(table);
      byte[] region = location.getRegion().getRegionName();
      Optional<Posted<T>> sent =
          connections.post(server, call.in(region, controller.getPriority()));
      if (sent.isEmpty()) {
        connections.missed(server);
      }
      return sent.map(reply -> () -> end(reply));
    } catch (IOException | RuntimeException | LinkageError e) {
      return Optional.of(() -> failed(e));
    }
  }

  private <T> CompletableFuture<T> end(Posted<T> reply) {
    try {
      return CompletableFuture.completedFuture(reply.read());
    } catch (IOException | RuntimeException | LinkageError e) {
      return failed(e);
    }
  }

  private <T> CompletableFuture<T> failed(Throwable failure) {
    if (failure instanceof LinkageError) {
      // It may have been sent: so this attempt is over, and the next one takes another way.
      fits = false;
      LOG.warn(
          "This HBase client is not the one that dedicated connections were made for: requests go"
              + " through its asynchronous client from now on, which is slower",
          failure);
      return CompletableFuture.failedFuture(
          new IOException("dedicated connection failed", failure));
    }
    IOException cause = unwrapped(ProtobufUtil.handleRemoteException((Exception) failure));
    if (cause instanceof InterruptedIOException && !(cause instanceof SocketTimeoutException)) {
      Thread.currentThread().interrupt();
    }
    return CompletableFuture.failedFuture(cause);
  }

  /** Returns the server's exception in its own class, which determines the remedy. */
  private static IOException unwrapped(IOException failure) {
    return failure instanceof RemoteException remote ? remote.unwrapRemoteException() : failure;
  }

  /** Returns true if the attempt needs no repetition: it has succeeded, or is refused for good. */
  private static boolean stands(CompletableFuture<?> end) {
    return end.handle((value, failure) -> isFinal(failure)).join();
  }

  private static boolean isFinal(@Nullable Throwable failure) {
    return failure == null
        || StoreFailures.find(failure, DoNotRetryIOException.class).isPresent()
            && !StoreFailures.isScannerLost(failure);
  }

  @Override
  public void close() {
    connections.close();
  }
}
