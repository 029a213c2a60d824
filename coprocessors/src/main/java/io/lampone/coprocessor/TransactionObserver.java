package io.lampone.coprocessor;

import io.lampone.coprocessor.certify.CertifyHandler;
import io.lampone.coprocessor.collection.StoreCollection;
import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.server.ServerContext;
import io.lampone.coprocessor.write.FastWrites;
import io.lampone.coprocessor.write.PlainClientSupport;
import io.lampone.coprocessor.write.RegionWrites;
import io.lampone.coprocessor.write.RequestGet;
import io.lampone.coprocessor.write.RequestPut;
import io.lampone.coprocessor.write.RequestScan;
import io.lampone.hbase.Carrier;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.request.CertifyRequest;
import io.lampone.protocol.request.CertifyScan;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.LeaderReadRequest;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.trust.IssueProof;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CoprocessorEnvironment;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.coprocessor.CoreCoprocessor;
import org.apache.hadoop.hbase.coprocessor.EndpointObserver;
import org.apache.hadoop.hbase.coprocessor.HasRegionServerServices;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Region observer of a transactional table: recognises our requests in plain HBase operations,
 * passes them to the class for their kind, and refuses all other operations of clients. A reply
 * that did not pass through here lacks the proof, and the client rejects it (E12). The hooks of
 * {@link StoreObserver} decide what flushes and compactions keep.
 *
 * <p>Every operation on a row runs in this order: request guards; row locks, taken by HBase in
 * ascending order; the rules, in {@link #preBatchMutate}; log, stores, MVCC; locks released; the
 * guards that must still hold. HBase's internal reads and writes (compactions, flushes, replay of
 * its log, our own reads through the region) call none of the hooks here.
 *
 * <p>It is a core coprocessor, so that its environment gives the server's own ZooKeeper session:
 * only that session proves that THIS server is still alive.
 */
@CoreCoprocessor
public class TransactionObserver extends PlainClientObserver implements RegionCoprocessor {

  private static final Logger LOG = LoggerFactory.getLogger(TransactionObserver.class);

  /** The region; set by {@link #start}, before any other hook. Null if that failed. */
  private @Nullable ObservedRegion region;

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  public Optional<EndpointObserver> getEndpointObserver() {
    return Optional.of(new EndpointGuard(this::open));
  }

  @Override
  public void start(CoprocessorEnvironment environment) {
    // An exception would abort the server. Without a region every hook refuses.
    if (environment instanceof RegionCoprocessorEnvironment regionEnvironment
        && environment instanceof HasRegionServerServices services) {
      try {
        ServerContext context =
            ServerContext.of(
                regionEnvironment.getSharedData(),
                services.getRegionServerServices(),
                this::newClock);
        region = context.observed(regionEnvironment);
      } catch (RuntimeException e) {
        LOG.error("Observer could not start, region={}", regionEnvironment.getRegionInfo(), e);
      }
    } else {
      LOG.error("Observer needs a region server, environment={}", environment.getClass());
    }
  }

  @Override
  public void stop(CoprocessorEnvironment environment) {
    ObservedRegion closing = region;
    if (closing == null) {
      return;
    }
    // no exception may leave here either
    try {
      closing.open().closed();
    } catch (RuntimeException e) {
      LOG.error("Memory of the region could not be given back", e);
    }
  }

  @Override
  public void postOpen(ObserverContext<RegionCoprocessorEnvironment> context) {
    try {
      open().fence();
      if (open().settings().isPresent()) {
        open().generation().opened();
      }
      open().heal(observed().chain());
    } catch (RuntimeException e) {
      // The first request starts the read of the fence again.
      LOG.error("Fence could not be asked for", e);
    }
  }

  @Override
  public void preGetOp(
      ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result)
      throws IOException {
    if (get instanceof RequestGet) {
      return; // for the other coprocessors
    }
    runAudited(
        "preGetOp",
        () -> {
          List<Cell> answer = answer(get);
          if (answer != null) {
            result.addAll(answer);
            context.bypass();
          }
        });
  }

  /** Returns the answer in HBase's place; null if HBase executes the get. */
  private @Nullable List<Cell> answer(Get get) throws IOException {
    if (get.getAttribute(TableSettings.DESCRIBE_ATTRIBUTE) != null) {
      permissions().requireAnyReadable(get.getFamilyMap());
      return List.of(Carrier.description(get.getRow(), open().region().getTableDescriptor()));
    }
    Optional<LeaderReadRequest> leaderRead = Carrier.leaderReadRequest(get);
    if (leaderRead.isPresent()) {
      return List.of(new LeaderReads(open()).answer(get, leaderRead.get()));
    }
    Optional<CertifyRequest> certify = Carrier.certifyRequest(get);
    if (certify.isPresent()) {
      return List.of(new CertifyHandler(open(), snapshotReads(), get).answer(get, certify.get()));
    }
    Optional<ReadRequest> read = Carrier.readRequest(get);
    if (read.isPresent()) {
      snapshotReads().beforeGet(get, read.get());
      return null;
    }
    Optional<FastReadRequest> fast = Carrier.fastReadRequest(get);
    if (fast.isPresent()) {
      return new FastReadHandler(open(), snapshotReads()).answer(get, fast.get());
    }
    Optional<LeaderReadRequest> met = Carrier.resolveRequest(get);
    if (met.isPresent()) {
      return List.of(new LeaderReads(open()).resolve(get, met.get()));
    }
    if (plain().admitsRead(get)) {
      return PlainClientSupport.patiently(() -> plain().get(get));
    }
    FrozenRead.detachFrom(get); // HBase carries it out if the table is not transactional
    plain().refuse("Get", get);
    return null;
  }

  @Override
  public void postGetOp(
      ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result)
      throws IOException {
    runAudited("postGetOp", () -> snapshotReads().afterGet(get, result));
  }

  @Override
  public void preScannerOpen(ObserverContext<RegionCoprocessorEnvironment> context, Scan scan)
      throws IOException {
    if (scan instanceof RequestScan) {
      return; // for the other coprocessors
    }
    runAudited("preScannerOpen", () -> scanners().admit(scan, admit(scan)));
  }

  private Permissions permissions() {
    return Permissions.ofPlain(open(), observed().chain());
  }

  private SnapshotReads snapshotReads() {
    return new SnapshotReads(open(), observed().chain());
  }

  private ScannerBook.Opening admit(Scan scan) throws IOException {
    SnapshotReads reads = snapshotReads();
    if (PhoenixScans.isRebuild(scan) && open().settings().isPresent()) {
      // Phoenix replaces the filter of such a scan, which decides visibility.
      throw Refused.because(
          Refusal.Code.UNSUPPORTED, "indexes are not rebuilt by scans of a transactional table");
    }
    byte[] inspection = scan.getAttribute(TableSettings.INSPECTION_ATTRIBUTE);
    if (inspection != null) {
      return reads.beforeInspection(scan, inspection);
    }
    if (PhoenixScans.isStatistics(scan) && plain().isPhoenix()) {
      return reads.beforeStatistics(scan); // inside a transaction or not
    }
    Optional<CertifyScan> certify = Carrier.certifyScan(scan);
    if (certify.isPresent()) {
      permissions().requireReadable(scan);
      return reads.beforeCertification(scan, certify.get());
    }
    Optional<ReadRequest> read = Carrier.readRequest(scan);
    if (read.isPresent()) {
      return reads.beforeScan(scan, read.get());
    }
    if (plain().admitsRead(scan)) {
      return PlainClientSupport.patiently(
          () -> plain().isPhoenix() ? reads.beforePhoenixScan(scan) : reads.beforePlainScan(scan));
    }
    plain().refuse("Scan", scan);
    return ScannerBook.UNCHECKED;
  }

  @Override
  public RegionScanner postScannerOpen(
      ObserverContext<RegionCoprocessorEnvironment> context, Scan scan, RegionScanner scanner)
      throws IOException {
    runAudited(
        "postScannerOpen",
        () -> {
          open();
          scanners().open(scan, scanner);
        });
    return scanner;
  }

  @Override
  public boolean preScannerNext(
      ObserverContext<RegionCoprocessorEnvironment> context,
      InternalScanner scanner,
      List<Result> result,
      int limit,
      boolean hasNext)
      throws IOException {
    runAudited("preScannerNext", () -> scanners().requireOwner(scanner));
    return hasNext;
  }

  @Override
  public boolean postScannerNext(
      ObserverContext<RegionCoprocessorEnvironment> context,
      InternalScanner scanner,
      List<Result> result,
      int limit,
      boolean hasNext)
      throws IOException {
    runAudited(
        "postScannerNext",
        () -> {
          if (open().settings().isPresent()) {
            snapshotReads().afterBatch(scanners().checked(scanner));
          }
        });
    return hasNext;
  }

  @Override
  public void preScannerClose(
      ObserverContext<RegionCoprocessorEnvironment> context, InternalScanner scanner)
      throws IOException {
    runAudited("preScannerClose", () -> scanners().requireOwner(scanner));
  }

  @Override
  public CheckAndMutateResult preCheckAndMutate(
      ObserverContext<RegionCoprocessorEnvironment> context,
      CheckAndMutate operation,
      CheckAndMutateResult result)
      throws IOException {
    return callAudited(
        "preCheckAndMutate",
        () -> {
          Optional<RegionRequest> request =
              operation.getAction() instanceof Put put
                  ? Carrier.regionRequest(put)
                  : Optional.empty();
          if (request.isEmpty()) {
            if (plain().areAdmitted()) {
              context.bypass();
              return PlainClientSupport.patiently(() -> plain().checkAndMutate(operation));
            }
            open().refusePlain("CheckAndMutate");
            return result;
          }
          byte[] reply = execute(operation, request.get());
          open().server().counts().executed(request.get());
          context.bypass();
          Cell proof = Carrier.proofCell(operation.getRow(), reply);
          return new CheckAndMutateResult(true, Result.create(List.of(proof)));
        });
  }

  private byte[] execute(CheckAndMutate operation, RegionRequest request) throws IOException {
    Permissions permissions = Permissions.of(open(), observed().chain(), operation);
    if (FastWrites.executes(request)) {
      return new FastWrites(open(), permissions).execute(request).encode();
    }
    open().guards().bumpToMark(Carrier.mark((Put) operation.getAction()), IssueProof.NONE);
    return new RegionWrites(open(), permissions).execute(request).encode();
  }

  @Override
  public void preBatchMutate(
      ObserverContext<RegionCoprocessorEnvironment> context,
      MiniBatchOperationInProgress<Mutation> operations)
      throws IOException {
    runAudited(
        "preBatchMutate",
        () -> {
          // A batch is ours as a whole or not at all: only RegionWrites makes such mutations.
          if (operations.size() == 0) {
            return;
          }
          if (operations.getOperation(0) instanceof RequestPut put) {
            put.request().decide(operations);
          } else if (plain().admits(operations.getOperation(0))) {
            // checked as ready before
            PlainClientSupport.patientlyDo(() -> plain().batches().rewrite(operations));
          } else {
            plain().batches().leave(operations);
          }
        });
  }

  // An executed operation must not be reported as failed because of us: nothing here can fail.
  @Override
  public void postBatchMutate(
      ObserverContext<RegionCoprocessorEnvironment> context,
      MiniBatchOperationInProgress<Mutation> operations) {
    if (operations.size() > 0 && operations.getOperation(0) instanceof RequestPut put) {
      put.request().applied();
    }
  }

  @Override
  OpenRegion uncheckedRegion() {
    return observed().open();
  }

  @Override
  @Nullable PlainClientSupport plainClients() {
    return region == null ? null : region.plainClients();
  }

  @Override
  StoreCollection collection() {
    return new StoreCollection(region == null ? null : region.open());
  }

  /** Creates a server's clock; overridden by tests that exhaust its numbers. */
  LocalVersionClock newClock() {
    return new LocalVersionClock();
  }

  /** Returns the region of a request; also used by tests. */
  @Override
  OpenRegion open() {
    ObservedRegion observed = observed();
    observed.chain().requireLast();
    return observed.open();
  }

  private ScannerBook scanners() {
    return observed().scanners();
  }

  private ObservedRegion observed() {
    ObservedRegion known = region;
    if (known == null) {
      throw Refused.because(Refusal.Code.INTERNAL, "the observer could not start; see the log");
    }
    return known;
  }
}
