package io.lampone.client.hbase.transport;

import io.lampone.client.hbase.line.RegionServerConnectionPool;
import io.lampone.client.hbase.line.Rpc;
import io.lampone.client.hbase.read.ScanPage;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CellScanner;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.ClusterConnection;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Consistency;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.ipc.FailedServerException;
import org.apache.hadoop.hbase.ipc.HBaseRpcController;
import org.apache.hadoop.hbase.ipc.RpcControllerFactory;
import org.apache.hadoop.hbase.ipc.StoppedRpcClientException;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.RequestConverter;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.ClientService.BlockingInterface;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.GetRequest;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.GetResponse;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.MutateRequest;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.MutateResponse;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.MutationProto.MutationType;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.ScanRequest;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.ScanResponse;
import org.apache.hadoop.hbase.shaded.protobuf.generated.HBaseProtos.RegionSpecifier.RegionSpecifierType;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;
import org.apache.hbase.thirdparty.com.google.protobuf.ServiceException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests of one row, sent once by the thread that waits for their reply, directly through HBase's
 * RPC stub. A waiting thread is woken once, by the reply; through HBase's asynchronous client, or
 * the retrying caller of its blocking one, the same request costs up to a quarter of a native put
 * more (ADR 50).
 *
 * <p>Only for regions whose location is known already. All failures are left to the caller, which
 * sends the request again, locates the region, or looks up the operation: an attempt that fails
 * here is an ordinary failed attempt.
 *
 * <p>The stub is private to HBase 2. If this HBase's classes do not fit, nothing is sent this way
 * any more.
 */
public final class BlockingRegionClient implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(BlockingRegionClient.class);

  /**
   * Call of one row.
   *
   * @param <Q> its request
   * @param <R> its reply
   * @param <T> result for the caller
   */
  private interface Call<Q extends Message, R extends Message, T> {

    /** Returns its name in HBase's service. */
    String method();

    Q request(byte[] region) throws IOException;

    /** Returns the prototype of the reply. */
    R answer();

    R send(BlockingInterface stub, HBaseRpcController controller, Q request)
        throws ServiceException;

    T read(R answer, CellScanner cells) throws IOException;
  }

  private final Map<ServerName, BlockingInterface> stubs = new ConcurrentHashMap<>();
  private final AsyncConnection locations;
  private final Connection connection;
  private final RpcControllerFactory controllers;
  private final long responseBytes;
  private final int responseRows;

  private final RegionServerConnectionPool lines;

  private volatile boolean fits;

  /**
   * Creates a client that sends nothing before the first call.
   *
   * @param locations locator of regions
   * @param connection HBase's blocking one, to the same cluster; closed by {@link #close}
   * @param lines to the same cluster; closed by {@link #close}
   */
  public BlockingRegionClient(
      AsyncConnection locations, Connection connection, RegionServerConnectionPool lines) {
    this(locations, connection, lines, connection instanceof ClusterConnection);
  }

  private BlockingRegionClient(
      AsyncConnection locations,
      Connection connection,
      RegionServerConnectionPool lines,
      boolean fits) {
    this.locations = locations;
    this.connection = connection;
    this.lines = lines;
    Configuration configuration = connection.getConfiguration();
    this.controllers = RpcControllerFactory.instantiate(configuration);
    this.responseBytes =
        configuration.getLong(
            HConstants.HBASE_CLIENT_SCANNER_MAX_RESULT_SIZE_KEY,
            HConstants.DEFAULT_HBASE_CLIENT_SCANNER_MAX_RESULT_SIZE);
    this.responseRows =
        configuration.getInt(
            HConstants.HBASE_CLIENT_SCANNER_CACHING,
            HConstants.DEFAULT_HBASE_CLIENT_SCANNER_CACHING);
    this.fits = fits;
  }

  /** Returns a client that sends nothing, for calls over another connection. */
  BlockingRegionClient unused() {
    return new BlockingRegionClient(locations, connection, lines, false);
  }

  /** Returns the end of the get; empty if it was not sent, and must be sent another way. */
  Optional<CompletableFuture<Result>> get(TableName table, Get get, long timeoutNanos) {
    if (get.getConsistency() != Consistency.STRONG) {
      return Optional.empty();
    }
    return send(table, get.getRow(), timeoutNanos, new GetCall(get));
  }

  /** Returns the end of a put that carries a request of ours, see {@code Carrier}. */
  Optional<CompletableFuture<CheckAndMutateResult>> checkAndMutate(
      TableName table, CheckAndMutate operation, long timeoutNanos) {
    return send(table, operation.getRow(), timeoutNanos, new CheckAndMutateCall(operation));
  }

  /**
   * Returns the beginning of a scan; empty if it was not sent.
   *
   * @param scan receives the limits of a response that HBase's client would set
   */
  Optional<CompletableFuture<ScanPage>> scan(TableName table, Scan scan, long timeoutNanos) {
    if (scan.getMaxResultSize() <= 0) {
      scan.setMaxResultSize(responseBytes);
    }
    if (scan.getCaching() <= 0) {
      scan.setCaching(responseRows);
    }
    return send(
        table,
        scan.getStartRow(),
        timeoutNanos,
        new ScanCall(scan),
        region -> ScanPage.canBegin(scan, region));
  }

  private record ScanCall(Scan scan) implements Call<ScanRequest, ScanResponse, ScanPage> {

    @Override
    public String method() {
      return "Scan";
    }

    @Override
    public ScanRequest request(byte[] region) throws IOException {
      return ScanPage.request(region, scan);
    }

    @Override
    public ScanResponse answer() {
      return ScanResponse.getDefaultInstance();
    }

    @Override
    public ScanResponse send(
        BlockingInterface stub, HBaseRpcController controller, ScanRequest sent)
        throws ServiceException {
      return stub.scan(controller, sent);
    }

    @Override
    public ScanPage read(ScanResponse answer, CellScanner cells) throws IOException {
      return ScanPage.of(scan, answer, cells);
    }
  }

  private record GetCall(Get get) implements Call<GetRequest, GetResponse, Result> {

    @Override
    public String method() {
      return "Get";
    }

    @Override
    public GetRequest request(byte[] region) throws IOException {
      return RequestConverter.buildGetRequest(region, get);
    }

    @Override
    public GetResponse answer() {
      return GetResponse.getDefaultInstance();
    }

    @Override
    public GetResponse send(BlockingInterface stub, HBaseRpcController controller, GetRequest sent)
        throws ServiceException {
      return stub.get(controller, sent);
    }

    @Override
    public Result read(GetResponse answer, CellScanner cells) throws IOException {
      return ProtobufUtil.toResult(answer.getResult(), cells);
    }
  }

  private record CheckAndMutateCall(CheckAndMutate operation)
      implements Call<MutateRequest, MutateResponse, CheckAndMutateResult> {

    @Override
    public String method() {
      return "Mutate";
    }

    @Override
    public MutateRequest request(byte[] region) throws IOException {
      return mutateRequest(region, operation);
    }

    @Override
    public MutateResponse answer() {
      return MutateResponse.getDefaultInstance();
    }

    @Override
    public MutateResponse send(
        BlockingInterface stub, HBaseRpcController controller, MutateRequest sent)
        throws ServiceException {
      return stub.mutate(controller, sent);
    }

    @Override
    public CheckAndMutateResult read(MutateResponse answer, CellScanner cells) throws IOException {
      return new CheckAndMutateResult(
          answer.getProcessed(), ProtobufUtil.toResult(answer.getResult(), cells));
    }
  }

  private static MutateRequest mutateRequest(byte[] region, CheckAndMutate operation)
      throws IOException {
    return MutateRequest.newBuilder()
        .setRegion(RequestConverter.buildRegionSpecifier(RegionSpecifierType.REGION_NAME, region))
        .setMutation(ProtobufUtil.toMutation(MutationType.PUT, (Put) operation.getAction()))
        .setCondition(
            ProtobufUtil.toCondition(
                operation.getRow(),
                operation.getFamily(),
                operation.getQualifier(),
                CompareOperator.EQUAL,
                operation.getValue(),
                operation.getTimeRange()))
        .build();
  }

  private <Q extends Message, R extends Message, T> Optional<CompletableFuture<T>> send(
      TableName table, byte[] row, long timeoutNanos, Call<Q, R, T> call) {
    return send(table, row, timeoutNanos, call, region -> true);
  }

  private <Q extends Message, R extends Message, T> Optional<CompletableFuture<T>> send(
      TableName table,
      byte[] row,
      long timeoutNanos,
      Call<Q, R, T> call,
      Predicate<RegionInfo> fitting) {
    if (!fits) {
      return Optional.empty();
    }
    CompletableFuture<HRegionLocation> lookup =
        locations.getRegionLocator(table).getRegionLocation(row);
    if (!lookup.isDone() || lookup.isCompletedExceptionally()) {
      return Optional.empty();
    }
    HRegionLocation location = lookup.join();
    ServerName server = location.getServerName();
    if (server == null || !fitting.test(location.getRegion())) {
      return Optional.empty();
    }
    return Optional.of(
        send(server, table, location.getRegion().getRegionName(), timeoutNanos, call));
  }

  private <Q extends Message, R extends Message, T> CompletableFuture<T> send(
      ServerName server, TableName table, byte[] region, long timeoutNanos, Call<Q, R, T> call) {
    try {
      Q request = call.request(region);
      HBaseRpcController controller = controllers.newController();
      controller.setPriority(table);
      Optional<T> byLine =
          lines.ask(
              server,
              new Rpc<>(
                  call.method(),
                  request,
                  call.answer(),
                  controller.getPriority(),
                  timeoutNanos,
                  call::read));
      if (byLine.isPresent()) {
        return CompletableFuture.completedFuture(byLine.get());
      }
      long millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(timeoutNanos));
      controller.setCallTimeout((int) Math.min(millis, Integer.MAX_VALUE));
      R answer = call.send(stub(server), controller, request);
      lines.missed(server);
      return CompletableFuture.completedFuture(call.read(answer, controller.cellScanner()));
    } catch (ServiceException | IOException | RuntimeException e) {
      stubs.remove(server); // servers change; the next call creates a new one
      if (e instanceof ServiceException
          && e.getCause() instanceof IOException unconnected
          && neverLeft(unconnected)) {
        return CompletableFuture.failedFuture(new NotSentException(unconnected));
      }
      IOException cause = unwrapped(ProtobufUtil.handleRemoteException(e));
      if (cause instanceof InterruptedIOException && !(cause instanceof SocketTimeoutException)) {
        Thread.currentThread().interrupt();
      }
      return CompletableFuture.failedFuture(cause);
    } catch (LinkageError e) {
      // It may have been sent: so this attempt is over, and the next one takes another way.
      fits = false;
      LOG.warn(
          "This HBase client is not the one that direct calls were made for: requests go through"
              + " its asynchronous client from now on, which is slower",
          e);
      return CompletableFuture.failedFuture(new IOException("direct call failed", e));
    }
  }

  /**
   * Returns true if HBase's client had no connection for the request. Exceptions from a server are
   * still {@link RemoteException}s here, whatever their names.
   */
  private static boolean neverLeft(IOException cause) {
    return cause instanceof ConnectException
        || cause instanceof FailedServerException
        || cause instanceof StoppedRpcClientException;
  }

  /** Returns the server's exception in its own class, which determines the remedy. */
  private static IOException unwrapped(IOException failure) {
    return failure instanceof RemoteException remote ? remote.unwrapRemoteException() : failure;
  }

  private BlockingInterface stub(ServerName server) throws IOException {
    BlockingInterface known = stubs.get(server);
    if (known != null) {
      return known;
    }
    BlockingInterface made = ((ClusterConnection) connection).getClient(server);
    stubs.put(server, made);
    return made;
  }

  @Override
  public void close() throws IOException {
    lines.close();
    connection.close();
  }
}
