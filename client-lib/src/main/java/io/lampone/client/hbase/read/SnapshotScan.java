package io.lampone.client.hbase.read;

import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.core.status.ScanJudgments;
import io.lampone.client.core.step.Step;
import io.lampone.client.hbase.transport.RegionTransport;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.request.ReadRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer.ScanController;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer.ScanResumer;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.Cursor;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;

/**
 * Scan in a transaction's snapshot (protocol page, sections 4 and 5). Results stream from HBase's
 * scanner to the sink. At a row with an intent that the server could not judge the scanner is
 * closed, the intent resolved together with those of the rows in the same response, and a new
 * scanner opened at that row with the judgments; likewise, without a judgment, after a temporary
 * refusal, or the loss of a scanner with rows in parts.
 *
 * <p>Own writes in the range that the servers have not seen are sent before the scanner is opened,
 * instead of merging them in: then limit, batch, paging, filters and reversal are applied by the
 * server to the transaction's view, each exactly once. The cost is one flush that commit would have
 * made anyway.
 *
 * <p>{@code onNext} and {@code onComplete} of HBase's consumer are called by one thread at a time;
 * so are all methods here.
 */
public final class SnapshotScan {

  /** Limit of scanners that are opened while the scan does not get on. */
  private static final int MAX_ROUNDS = 100;

  private final StoreAccess access;
  private final OpenTransaction transaction;
  private final TableName table;
  private final String name;
  private final Scan scan;
  private final ScanSink sink;
  private final ScanPosition position;
  private final ScanJudgments judgments = new ScanJudgments();
  // scanners opened since the scan got on
  private int rounds;
  // attempts that failed since the last result
  private int tries;
  // until when lost scanners are opened again; set by the first failure since the last result
  private long lostUntilNanos;

  public SnapshotScan(
      StoreAccess access, OpenTransaction transaction, TableName table, Scan scan, ScanSink sink) {
    this.access = access;
    this.transaction = transaction;
    this.table = table;
    this.name = table.getNameAsString();
    // The caller may change its own, and scanners are opened later.
    this.scan = ReadRules.copy(scan);
    this.sink = sink;
    this.position = new ScanPosition(this.scan);
  }

  /** Begins; the sink receives all results. */
  public void start() {
    start(OptionalLong.empty());
  }

  /**
   * Begins from a thread that may wait.
   *
   * @param here end of the calling thread's wait for the beginning, on the monotonic clock; empty
   *     if it does not wait
   */
  public void start(OptionalLong here) {
    open(
        Step.begin(
            event -> {
              ReadRules.check(scan);
              return buffered() ? transaction.flush() : Step.done();
            }),
        here);
  }

  private boolean buffered() {
    Bytes start = Bytes.of(scan.getStartRow());
    Bytes stop = Bytes.of(scan.getStopRow());
    return scan.isReversed()
        ? transaction.buffersAny(name, stop, scan.includeStopRow(), start, scan.includeStartRow())
        : transaction.buffersAny(name, start, scan.includeStartRow(), stop, scan.includeStopRow());
  }

  /** Opens a scanner after another step. */
  private void open(Step<Void> before, OptionalLong here) {
    Step<ReadRequest> request = before.then(done -> transaction.readRequest());
    CompletableFuture<ReadRequest> ready =
        here.isPresent()
            ? access.driver().startHere(request, here.getAsLong())
            : access.driver().start(request);
    // On another thread nothing may block.
    OptionalLong stillHere = ready.isDone() ? here : OptionalLong.empty();
    ready
        .thenAccept(
            carried -> {
              Scan sent = position.rest();
              sent.setAttribute(
                  ReadRequest.ATTRIBUTE, carried.withJudgments(judgments.carried()).encode());
              // A region without the coprocessor has no such family; the coprocessor removes it
              // from the scan.
              sent.addFamily(Reserved.PROOF_FAMILY.unsafeArray());
              // HBase would omit families before visibility is known.
              sent.setLoadColumnFamiliesOnDemand(false);
              sent.setScanMetricsEnabled(false);
              access.metrics().scannersOpened.increment();
              begin(sent, stillHere);
            })
        .exceptionally(
            failure -> {
              sink.onError(failure);
              return null;
            });
  }

  /**
   * Begins with a page if a thread waits for it, because it contains the results of most scans.
   * HBase's scanner fetches the rest during its use.
   */
  private void begin(Scan sent, OptionalLong here) {
    Scanner scanner = new Scanner();
    Optional<CompletableFuture<ScanPage>> page =
        here.isPresent()
            ? access.transport().firstPage(table, sent, access.deadline(), here.getAsLong())
            : Optional.empty();
    page.ifPresentOrElse(
        begun ->
            begun.whenComplete(
                (rows, refusal) -> {
                  if (refusal == null) {
                    scanner.take(rows);
                  } else {
                    scanner.onError(refusal);
                  }
                }),
        () -> table().scan(sent, scanner));
  }

  /**
   * Returns the table to scan. With rows in parts HBase's client must not reopen a lost scanner
   * itself: it would resume in the middle of a row by dropping all cells at or before the last one,
   * and a pointer there, behind which the row ends, would be dropped unseen.
   */
  private AsyncTable<AdvancedScanResultConsumer> table() {
    int attempts = position.rowsInParts() ? RegionTransport.ONE_ATTEMPT : RegionTransport.ATTEMPTS;
    return access.transport().table(table, access.deadline(), attempts);
  }

  private void openAgain(Step<Void> after) {
    if (!sink.wantsMore()) {
      sink.onComplete();
      return;
    }
    if (rounds++ >= MAX_ROUNDS) {
      sink.onError(
          new StoreUnavailableException(
              "a scan does not get on: intents or refusals without end, table=" + name,
              new IllegalStateException("rounds=" + rounds)));
      return;
    }
    open(after, OptionalLong.empty());
  }

  /** Goes on at the first of these intents, before which all has been delivered. */
  private void openAt(List<Intent> pointers) {
    position.reach(pointers.get(0).place().row().toArray());
    openAgain(
        Step.begin(event -> judgments.resolve(pointers, transaction::resolve))
            .then(
                getsOn -> {
                  rounds = getsOn ? 0 : rounds;
                  return Step.done();
                }));
  }

  /** One HBase scanner. */
  private final class Scanner implements AdvancedScanResultConsumer {

    // intents that must be resolved before the scan continues
    private final List<Intent> pointers = new ArrayList<>();
    // the sink has stopped the scan
    private boolean enough;
    // the sink has received a failure
    private boolean failed;

    @Override
    public void onNext(Result[] results, ScanController controller) {
      try {
        take(results);
      } catch (RuntimeException | Error e) {
        // HBase's client would lose the exception.
        failed = true;
        controller.terminate();
        sink.onError(StoreFailures.toStoreFailure(name, "unknown", e));
        return;
      }
      if (enough || !pointers.isEmpty()) {
        controller.terminate();
      } else {
        sink.onGroupEnd(() -> controller.suspend()::resume);
      }
    }

    /** Accepts all results of this page; another scanner continues behind it. */
    void take(ScanPage page) {
      Brake brake = new Brake();
      if (!page.rows().isEmpty()) {
        onNext(page.rows().toArray(new Result[0]), brake);
      }
      if (page.isLast() || enough || failed || !pointers.isEmpty()) {
        onComplete();
      } else {
        brake.goOn(() -> open(Step.done(), OptionalLong.empty()));
      }
    }

    private void take(Result[] results) {
      List<Result> taken = asTheyCame(results) ? List.of(results) : oneByOne(results);
      if (!taken.isEmpty()) {
        rounds = 0;
        tries = 0;
        enough |= !sink.onNext(taken);
      }
    }

    /** Passes on results unchanged, the usual case: all are new, without unresolved intents. */
    private boolean asTheyCame(Result[] results) {
      for (Result result : results) {
        if (result.isEmpty() || hasPointer(result)) {
          return false;
        }
      }
      return pointers.isEmpty() && !enough && position.advanceAll(results);
    }

    private List<Result> oneByOne(Result[] results) {
      List<Result> taken = new ArrayList<>(results.length);
      for (int i = 0; i < results.length && !enough; i++) {
        take(results[i], taken);
      }
      return taken;
    }

    private void take(Result result, List<Result> taken) {
      if (hasPointer(result)) {
        pointers.addAll(ServerRow.of(name, result).pointers());
      }
      if (!pointers.isEmpty()) {
        return; // and behind the first pointer nothing is delivered
      }
      Result fresh = position.advance(result);
      if (!fresh.isEmpty()) {
        taken.add(fresh);
      }
      // HBase's client counts rows, too, but loses count if a row fills a response and ends with
      // it: it would continue beyond the limit, or fail an assertion on a thread without a handler.
      enough |= position.isOver();
    }

    private static boolean hasPointer(Result result) {
      Cell[] cells = result.rawCells();
      for (int i = 0; cells != null && i < cells.length; i++) {
        if (Carrier.isPointer(cells[i])) {
          return true;
        }
      }
      return false;
    }

    @Override
    public void onHeartbeat(ScanController controller) {
      if (enough || !sink.wantsMore()) {
        enough = true;
        controller.terminate();
      }
    }

    @Override
    public void onComplete() {
      if (failed) {
        return;
      }
      if (enough || pointers.isEmpty() || position.isOver()) {
        sink.onComplete();
        return;
      }
      if (sink.wantsMore()) { // else the fates of others are no business of this scan any more
        openAt(pointers);
      } else {
        sink.onComplete();
      }
    }

    @Override
    public void onError(Throwable error) {
      if (failed) {
        return;
      }
      RuntimeException failure = access.failed(name, "unknown", error);
      if (tries == 0) {
        lostUntilNanos = access.deadline();
      }
      if (!StoreFailures.mayRepeat(failure) && !isLostForNow(failure)) {
        sink.onError(failure);
      } else if (position.isOver()) {
        sink.onComplete();
      } else {
        openAgain(access.pause(tries++));
      }
    }

    /** Returns true if HBase's client has not repeated what may succeed. */
    private boolean isLostForNow(RuntimeException failure) {
      return StoreFailures.isForNow(failure)
          && (position.rowsInParts() || StoreFailures.isScannerLost(failure))
          && !access.isOver(lostUntilNanos);
    }
  }

  /** Stops a scan behind a page until there is room for more. */
  private static final class Brake implements ScanController {

    private final CompletableFuture<Void> released = new CompletableFuture<>();
    private boolean used;

    @Override
    public ScanResumer suspend() {
      used = true;
      return () -> released.complete(null);
    }

    @Override
    public void terminate() {} // the server has closed its scanner

    @Override
    public Optional<Cursor> cursor() {
      return Optional.empty();
    }

    void goOn(Runnable rest) {
      if (used) {
        released.thenRun(rest);
      } else {
        rest.run();
      }
    }
  }
}
